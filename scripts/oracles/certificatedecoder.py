"""Makes a certificate for each number with python3-cryptography, and tells what is in it."""
import datetime
import ipaddress
import json
import random
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import AuthorityInformationAccessOID
from cryptography.x509.oid import ExtendedKeyUsageOID as Purpose
from cryptography.x509.oid import NameOID

SEEDS = json.load(sys.stdin)
some = random.Random(SEEDS[0])
KEYS = [
    *(rsa.generate_private_key(65537, size) for size in (1024, 2048, 3072)),
    *(ec.generate_private_key(curve()) for curve in (ec.SECP256R1, ec.SECP384R1, ec.SECP521R1)),
    ed25519.Ed25519PrivateKey.generate(),
]
HASHES = [hashes.SHA256(), hashes.SHA384(), hashes.SHA512(), hashes.SHA1()]
PARTS = {
    "CN": NameOID.COMMON_NAME,
    "O": NameOID.ORGANIZATION_NAME,
    "OU": NameOID.ORGANIZATIONAL_UNIT_NAME,
    "L": NameOID.LOCALITY_NAME,
    "ST": NameOID.STATE_OR_PROVINCE_NAME,
    "2.5.4.5": NameOID.SERIAL_NUMBER,
    "E": NameOID.EMAIL_ADDRESS,
    "DC": NameOID.DOMAIN_COMPONENT,
}
ASCII_PARTS = ("E", "DC", "2.5.4.5")
PURPOSES = {
    "serverAuth": Purpose.SERVER_AUTH,
    "clientAuth": Purpose.CLIENT_AUTH,
    "codeSigning": Purpose.CODE_SIGNING,
    "emailProtection": Purpose.EMAIL_PROTECTION,
    "timeStamping": Purpose.TIME_STAMPING,
    "OCSPSigning": Purpose.OCSP_SIGNING,
    "1.3.6.1.4.1.311.20.2.2": x509.ObjectIdentifier("1.3.6.1.4.1.311.20.2.2"),
}
USAGES = [
    *("digitalSignature", "nonRepudiation", "keyEncipherment", "dataEncipherment", "keyAgreement"),
    *("keyCertSign", "cRLSign", "encipherOnly", "decipherOnly"),
]


def words(letters="abcdefghijklmnop"):
    return "".join(some.choice(letters) for _ in range(some.randint(1, 12)))


def make_name():
    parts = []
    for kind in some.sample(sorted(PARTS), some.randint(0, 4)):
        letters = "abc019.-" if kind in ASCII_PARTS else 'abc ÄøжЖ日,+="\\<>;#'
        parts.append((kind, "x" + words(letters) + "y"))
    return parts, x509.Name([x509.NameAttribute(PARTS[kind], value) for kind, value in parts])


def make_names():
    made = []
    for _ in range(some.randint(0, 5)):
        kind = some.choice(["dns", "ip", "ip6", "email", "url"])
        if kind == "dns":
            text = some.choice(["", "*."]) + words() + ".example"
            made.append(("dns", text, x509.DNSName(text)))
        elif kind in ("ip", "ip6"):
            bits = 32 if kind == "ip" else 128
            address = ipaddress.ip_address(some.getrandbits(bits).to_bytes(bits // 8, "big"))
            made.append(("ip", str(address), x509.IPAddress(address)))
        elif kind == "email":
            text = words() + "@x.example"
            made.append(("email", text, x509.RFC822Name(text)))
        else:
            text = "https://" + words() + ".example/" + words()
            made.append(("url", text, x509.UniformResourceIdentifier(text)))
    return made


def make(seed):
    some.seed(seed)
    key, signer = some.choice(KEYS), some.choice(KEYS)
    subject_parts, subject = make_name()
    _, issuer = make_name()
    start = datetime.datetime(1990, 1, 1) + datetime.timedelta(seconds=some.randint(0, 2_500_000_000))
    end = start + datetime.timedelta(seconds=some.randint(0, 1_000_000_000))
    serial = some.choice([some.randint(1, 255), some.getrandbits(63) + 1, some.getrandbits(158) + 1])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(serial)
        .not_valid_before(start)
        .not_valid_after(end)
    )
    facts = {
        "subject_parts": [list(part) for part in subject_parts],
        "serial_number": serial,
        "not_before": start.isoformat(),
        "not_after": end.isoformat(),
        "is_ca": False,
        "path_length": None,
        "key_usage": None,
        "extended_key_usage": None,
        "names": [],
        "subject_key_id": None,
        "authority_key_id": None,
        "ocsp_urls": [],
        "crl_urls": [],
    }
    extensions = []
    if some.random() < 0.7:
        names = make_names()
        if names:
            facts["names"] = [[kind, text] for kind, text, _ in names]
            extensions.append(x509.SubjectAlternativeName([name for _, _, name in names]))
    if some.random() < 0.5:
        is_ca = some.random() < 0.5
        length = some.randint(0, 3) if is_ca and some.random() < 0.5 else None
        facts.update(is_ca=is_ca, path_length=length)
        extensions.append(x509.BasicConstraints(is_ca, length))
    if some.random() < 0.5:
        bits = [some.random() < 0.4 for _ in range(7)]
        pair = [bits[4] and some.random() < 0.3, bits[4] and some.random() < 0.3]
        if not any(bits):
            bits[0] = True
        facts["key_usage"] = [name for name, bit in zip(USAGES, bits + pair) if bit]
        extensions.append(x509.KeyUsage(*bits, *pair))
    if some.random() < 0.5:
        purposes = some.sample(sorted(PURPOSES), some.randint(1, 4))
        facts["extended_key_usage"] = purposes
        extensions.append(x509.ExtendedKeyUsage([PURPOSES[one] for one in purposes]))
    if some.random() < 0.5:
        identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        facts["subject_key_id"] = identifier.digest.hex()
        extensions.append(identifier)
    if some.random() < 0.5:
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
        facts["authority_key_id"] = identifier.key_identifier.hex()
        extensions.append(identifier)
    if some.random() < 0.3:
        url = "http://" + words() + ".example/ocsp"
        facts["ocsp_urls"] = [url]
        access = x509.AccessDescription(
            AuthorityInformationAccessOID.OCSP, x509.UniformResourceIdentifier(url)
        )
        extensions.append(x509.AuthorityInformationAccess([access]))
    if some.random() < 0.3:
        url = "http://" + words() + ".example/crl"
        facts["crl_urls"] = [url]
        point = x509.DistributionPoint([x509.UniformResourceIdentifier(url)], None, None, None)
        extensions.append(x509.CRLDistributionPoints([point]))
    if some.random() < 0.2:
        oid = x509.ObjectIdentifier("1.2.3.%d" % some.randint(1, 10**6))
        extensions.append(x509.UnrecognizedExtension(oid, b"\x05\x00"))
    some.shuffle(extensions)
    facts["extensions"] = []
    for extension in extensions:
        is_critical = some.random() < 0.3
        facts["extensions"].append([extension.oid.dotted_string, is_critical])
        builder = builder.add_extension(extension, is_critical)
    digest = None if isinstance(signer, ed25519.Ed25519PrivateKey) else some.choice(HASHES)
    certificate = builder.sign(signer, digest)
    facts["sha256"] = certificate.fingerprint(hashes.SHA256()).hex()
    spki = certificate.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    hasher = hashes.Hash(hashes.SHA256())
    hasher.update(spki)
    facts["key_sha256"] = hasher.finalize().hex()
    facts["bits"] = key.key_size if isinstance(key, rsa.RSAPrivateKey) else None
    facts["hash"] = digest.name if digest else None
    return {"pem": certificate.public_bytes(serialization.Encoding.PEM).decode(), "facts": facts}


made = [make(seed) for seed in SEEDS]
# Big numbers lose digits in JSON.
for one in made:
    one["facts"]["serial_number"] = str(one["facts"]["serial_number"])
json.dump(made, sys.stdout)
