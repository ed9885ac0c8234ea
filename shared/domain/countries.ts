/** Every assigned alpha-2 code of ISO 3166-1. `Intl` lists no regions: its names also cover codes that are not countries, such as EU and XK. */
export const COUNTRY_CODES: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK
  CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT
  GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA
  MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS
  PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
  UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
);

/**
 * Countries without postal codes, from the address metadata of google/libaddressinput: neither their format nor their examples have one.
 * Its Ireland is left out, because Eircodes exist since 2015.
 */
export const WITHOUT_POSTAL_CODES: readonly string[] =
  `AE AG AO AQ AW BF BI BJ BO BS BV BW BZ CD CF CG CI CM DJ DM ER FJ GA GD GH GM GQ GY HK JM KI KM KN LC LY ML MO MR MS MW NA NR NU PA PS
  QA RW SB SC SL SR ST SY TD TF TG TK TL TO TT TV UG VU YE ZW`.split(/\s+/);

/** Codes in use that ISO 3166-1 does not assign to the country: the common British one, and the European Union's for Greece. */
const USED_FOR: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' };

const ENGLISH = new Intl.DisplayNames(['en'], { type: 'region' });

/** The English name of a country; its code without one. */
export const countryName = (code: string): string => ENGLISH.of(code) ?? code;

/** The code of the country that someone meant: by another code, in lower case, or by the English name. */
export function countryMeant(given: string): string | undefined {
  const code = given.trim().toUpperCase();
  if (COUNTRY_CODES.has(code)) return code;
  return USED_FOR[code] ?? [...COUNTRY_CODES].find((known) => countryName(known).toUpperCase() === code);
}
