const ofOneDevice = { is_divided: false, is_group: false, is_broadcast: false }

/** Addresses of the three registries, and one that a phone chose. */
export const examplesFor = (data_date: string | null) => [
  {
    name: "An address for documentation (RFC 7042)",
    input: { mac: "00-00-5e-00-53-01" },
    output: {
      mac: "00:00:5E:00:53:01",
      bits: 48,
      is_found: true,
      organization: "ICANN, IANA Department",
      is_private: false,
      prefix: "00:00:5E",
      registry: "MA-L" as const,
      ...ofOneDevice,
      is_locally_administered: false,
      data_date,
      organization_address: ["INTERNET ASS'NED NOS.AUTHORITY", "Los Angeles CA 90094-2536", "United States"],
    },
  },
  {
    name: "A block of 28 bits",
    input: { mac: "0055.da01.2345" },
    output: {
      mac: "00:55:DA:01:23:45",
      bits: 48,
      is_found: true,
      organization: "Shinko Technos co.,ltd.",
      is_private: false,
      prefix: "00:55:DA:0",
      registry: "MA-M" as const,
      ...ofOneDevice,
      is_locally_administered: false,
      data_date,
      organization_address: ["2-5-1, Senba Higashi", "Mino Osaka 562-0035", "Japan"],
    },
  },
  {
    name: "An address that software chose",
    input: { mac: "DA:A1:19:12:34:56" },
    output: {
      mac: "DA:A1:19:12:34:56",
      bits: 48,
      is_found: false,
      organization: null,
      is_private: false,
      prefix: null,
      registry: null,
      ...ofOneDevice,
      is_locally_administered: true,
      data_date,
      organization_address: null,
    },
  },
]
