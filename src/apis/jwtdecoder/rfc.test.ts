/** The examples of RFC 7515 appendix A, RFC 7519 §3.1 and 6.1, and RFC 8037 appendix A.4. */
import { expect, test } from "bun:test"
import { createManualClock } from "../../../test/support/clock.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { jwtdecoder } from "./index.ts"

const joe = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
const claims = { iss: "joe", exp: 1300819380, "http://example.com/is_root": true }

async function decode(token: string, key: object) {
  const ports = { ...portsFor({}), clock: createManualClock("2011-03-22T18:42:59Z") }
  const context = { ports, giveWay: () => undefined, premium: true }
  return jwtdecoder.run({ token, key: JSON.stringify(key) }, context)
}

test.each([
  [
    "RFC 7515 A.1 and RFC 7519 §3.1, HS256",
    `eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.${joe}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`,
    {
      kty: "oct",
      k: "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow",
    },
  ],
  [
    "RFC 7515 A.2, RS256",
    `eyJhbGciOiJSUzI1NiJ9.${joe}.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw`,
    {
      kty: "RSA",
      e: "AQAB",
      n: "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
    },
  ],
  [
    "RFC 7515 A.3, ES256",
    `eyJhbGciOiJFUzI1NiJ9.${joe}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`,
    {
      kty: "EC",
      crv: "P-256",
      x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    },
  ],
])("%s", async (_name, token, key) =>
  expect(await decode(token, key)).toMatchObject({
    is_valid: true,
    problems: [],
    claims,
    verification: { is_verified: true, reason: "signature_fits", is_weak_key: false },
  }),
)

test.each([
  [
    "RFC 7515 A.4, ES512",
    "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn",
    {
      kty: "EC",
      crv: "P-521",
      x: "AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk",
      y: "ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2",
    },
    "Payload",
  ],
  [
    "RFC 8037 A.4, Ed25519",
    "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
    { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" },
    "Example of Ed25519 signing",
  ],
])("%s: signed text that is no JWT", async (_name, token, key, text) => {
  const { problems, ...answer } = await decode(token, key)
  expect(problems.map(({ code }) => code)).toEqual(["claims"])
  expect(answer).toMatchObject({ is_valid: false, claims: null, payload_text: text })
  expect(answer.verification).toMatchObject({ is_verified: true })
})

test("RFC 7515 A.5 and RFC 7519 §6.1: unsecured", async () => {
  const { problems, ...answer } = await decode(`eyJhbGciOiJub25lIn0.${joe}.`, { kty: "oct", k: "" })
  expect(problems.map(({ code }) => code)).toEqual(["unsecured"])
  expect(answer).toMatchObject({ is_valid: false, claims })
  expect(answer.verification).toMatchObject({ is_verified: false, reason: "unsecured" })
})

test("RFC 7515 E: an extension that nobody knows", async () => {
  const token =
    "eyJhbGciOiJub25lIiwNCiAiY3JpdCI6WyJodHRwOi8vZXhhbXBsZS5jb20vVU5ERUZJTkVEIl0sDQogImh0dHA6Ly9leGFtcGxlLmNvbS9VTkRFRklORUQiOnRydWUNCn0.RkFJTA."
  const { problems } = await decode(token, { kty: "oct", k: "" })
  expect(problems.map(({ code }) => code)).toEqual(["unsecured", "critical", "claims"])
})
