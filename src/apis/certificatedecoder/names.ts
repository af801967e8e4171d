/** Extensions of RFC 5280 and others in wide use, by their object identifiers. */
export const extensionNames: Readonly<Record<string, string>> = {
  "2.5.29.14": "subjectKeyIdentifier",
  "2.5.29.15": "keyUsage",
  "2.5.29.16": "privateKeyUsagePeriod",
  "2.5.29.17": "subjectAltName",
  "2.5.29.18": "issuerAltName",
  "2.5.29.19": "basicConstraints",
  "2.5.29.30": "nameConstraints",
  "2.5.29.31": "cRLDistributionPoints",
  "2.5.29.32": "certificatePolicies",
  "2.5.29.33": "policyMappings",
  "2.5.29.35": "authorityKeyIdentifier",
  "2.5.29.36": "policyConstraints",
  "2.5.29.37": "extKeyUsage",
  "2.5.29.46": "freshestCRL",
  "2.5.29.54": "inhibitAnyPolicy",
  "1.3.6.1.5.5.7.1.1": "authorityInfoAccess",
  "1.3.6.1.5.5.7.1.11": "subjectInfoAccess",
  "1.3.6.1.5.5.7.1.24": "tlsFeature",
  "1.3.6.1.4.1.11129.2.4.2": "signedCertificateTimestampList",
  "1.3.6.1.4.1.11129.2.4.3": "ctPoison",
}

/** Purposes of keys, by their object identifiers (RFC 5280 §4.2.1.12). */
export const purposeNames: Readonly<Record<string, string>> = {
  "1.3.6.1.5.5.7.3.1": "serverAuth",
  "1.3.6.1.5.5.7.3.2": "clientAuth",
  "1.3.6.1.5.5.7.3.3": "codeSigning",
  "1.3.6.1.5.5.7.3.4": "emailProtection",
  "1.3.6.1.5.5.7.3.8": "timeStamping",
  "1.3.6.1.5.5.7.3.9": "OCSPSigning",
  "2.5.29.37.0": "anyExtendedKeyUsage",
}

/** The bits of keyUsage, from the first on (RFC 5280 §4.2.1.3). */
export const usageNames = [
  ...["digitalSignature", "nonRepudiation", "keyEncipherment", "dataEncipherment", "keyAgreement"],
  ...["keyCertSign", "cRLSign", "encipherOnly", "decipherOnly"],
]
