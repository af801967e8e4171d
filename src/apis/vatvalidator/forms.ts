/** The name of stdnum's validator for the VAT numbers of a country, and what follows the country code in them. */
interface Form {
  readonly validator: string
  readonly form: string
}

/**
 * The European Union, the United Kingdom, Switzerland and Norway. The forms are those of VIES, version 15, and of tax offices.
 */
export const forms: ReadonlyMap<string, Form> = new Map(
  `AT uid U and 8 digits
BE vat 10 digits that begin with 0 or 1
BG vat 9 or 10 digits
CH vat E, 9 digits and MWST, TVA, IVA or TPV
CY vat 8 digits and a letter
CZ dic 8, 9 or 10 digits
DE vat 9 digits that do not begin with 0
DK cvr 8 digits that do not begin with 0
EE kmkr 9 digits
ES nif 9 characters: 7 digits between two letters or digits, one of which is a letter
FI alv 8 digits
FR tva 2 letters or digits and 9 digits
GB vat 9 or 12 digits, or GD with 000 to 499, or HA with 500 to 999
GR vat 9 digits
HR oib 11 digits
HU anum 8 digits
IE vat 7 digits and 1 or 2 letters, or a digit, a letter, + or *, 5 digits and a letter
IT iva 11 digits
LT pvm 9 or 12 digits
LU tva 8 digits
LV pvn 11 digits
MT vat 8 digits that do not begin with 0
NL btw 9 digits, B and 2 digits
NO mva 9 digits and MVA
PL nip 10 digits
PT nif 9 digits that do not begin with 0
RO cif 2 to 10 digits that do not begin with 0
SE vat 12 digits that end with 01
SI ddv 8 digits that do not begin with 0
SK dph 10 digits that do not begin with 0, of which the third is 2, 3, 4, 7, 8 or 9`
    .split("\n")
    .map((line) => {
      const [country = "", validator = "", ...words] = line.split(" ")
      return [country, { validator, form: words.join(" ") }]
    }),
)
