const good =
  "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAmYjYcGeBqaZM9Y9Hvy+Dt2jX/AVlCJkzr7WCV0gxxBnIJ1oehYmeTuCetcLDhZQWVm9vE4OcwbKnmlmMY1vIxElKsw1YXYqIpOKUS40NR6UQTlxEzcFsVzwr/4qEtDMkMk/0sjr2k3FWbhUiyPuwgabk1Lv4fCLKIbOWjy5yC74Yh8dojhMDvx63MGRIyS9S/PgxaFIqrHbTPVPaOuYt1lQvsq8tSwX+hrTRYVq+bjolCXd6j7CdXv1sgFb23Kw/ShMVQKVmm/zk0wIIkVVMucMUWy7JSi9IhfbBi7Edo7+wpPYZOZTJuXCr02BKUHLRGmF2jvD3tWLYFtAmW5viQQIDAQAB"
const short =
  "v=DKIM1; t=y; p=MHwwDQYJKoZIhvcNAQEBBQADawAwaAJhAKvYkwtEODIHmr+1oZJw40xqKEDi7LSYiFFSJr8aOl9Atz79VCBKmU7exLn504qrJctEI2UsYpBb2znP+2Q7lqu3koIgzUaqG7xuTi3dY18HmoLNcN538aF3QQ0Cl1dkvwIDAQAB"

/** The names are those of the test double's DNS. */
const dns = {
  "s1._domainkey.good.example": [{ TXT: good }],
  "mail._domainkey.typo.example": [{ TXT: short }],
} as const

/** A key without a fault, one that is too short, and none. */
export const examples = [
  {
    name: "An RSA key of 2,048 bits",
    input: { domain: "good.example", selector: "s1" },
    output: {
      is_valid: true,
      problems: [],
      domain: "good.example",
      selector: "s1",
      record_name: "s1._domainkey.good.example",
      record: good,
      key_algorithm: "rsa" as const,
      key_bits: 2048,
      is_testing: false,
      is_strict: false,
      hashes: null,
      services: ["*"],
      key_sha256: "928db5db01a521af18df4cc74f55a82b63c6217a4eb30d8bc82e0c2860c43717",
      usual_selectors: ["s1"],
    },
    given: { dns },
  },
  {
    name: "A key that is too short, in test mode",
    input: { domain: "typo.example", selector: "mail" },
    output: {
      is_valid: false,
      problems: [
        {
          code: "short_key" as const,
          severity: "error" as const,
          message: "The key has 768 bits; verifiers refuse less than 1024.",
          where: "p",
        },
        {
          code: "testing" as const,
          severity: "warning" as const,
          message: "The domain tests DKIM.",
          where: "t",
        },
      ],
      domain: "typo.example",
      selector: "mail",
      record_name: "mail._domainkey.typo.example",
      record: short,
      key_algorithm: "rsa" as const,
      key_bits: 768,
      is_testing: true,
      is_strict: false,
      hashes: null,
      services: ["*"],
      key_sha256: "53bb4852b2e51d99db25aa859ac8486c30a575746cfd229af799a1eb3d968510",
      usual_selectors: ["mail"],
    },
    given: { dns },
  },
  {
    name: "No key",
    input: { domain: "none.example", selector: "s1" },
    output: {
      is_valid: false,
      problems: [
        {
          code: "no_record" as const,
          severity: "error" as const,
          message: "s1._domainkey.none.example has no record.",
          where: "s1._domainkey.none.example",
        },
      ],
      domain: "none.example",
      selector: "s1",
      record_name: "s1._domainkey.none.example",
      record: null,
      key_algorithm: null,
      key_bits: null,
      is_testing: false,
      is_strict: false,
      hashes: null,
      services: [],
      key_sha256: null,
      usual_selectors: [],
    },
    given: { dns },
  },
]
