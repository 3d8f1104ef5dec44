/**
 * What goes between the brackets of a character class. Clients in other languages read the patterns of the API document,
 * and Python and RE2 do not know the Unicode properties of JavaScript.
 */

/** `\p{Cc}` */
export const CONTROLS = '\\x00-\\x1f\\x7f-\\x9f'

/** What no one sees: controls, format characters and private use. */
export const INVISIBLE = `${CONTROLS}\\xad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ue000-\\uf8ff\\ufeff\\ufff0-\\uffff`

/** `\p{Pd}` of the basic plane; stands last, for its hyphen. */
export const DASHES =
  '\\u058a\\u05be\\u1400\\u1806\\u2010-\\u2015\\u2e17\\u2e1a\\u2e3a\\u2e3b\\u2e40\\u2e5d\\u301c\\u3030\\u30a0\\ufe31\\ufe32\\ufe58\\ufe63\\uff0d-'

/** Letters and digits, with the vowel signs that some scripts need, of scripts that names of domains are in. */
export const LETTERS = [
  '0-9A-Za-z',
  // Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic.
  '\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u02af\\u0370-\\u0373\\u0386\\u0388-\\u03f5\\u0400-\\u0481\\u048a-\\u0556\\u0561-\\u0587',
  '\\u05d0-\\u05ea\\u0620-\\u0669\\u066e-\\u06d3\\u06f0-\\u06fc',
  // From Devanagari to Sinhala, Thai, Lao, Myanmar, Georgian, Ethiopic, Khmer.
  '\\u0900-\\u0963\\u0966-\\u096f\\u0971-\\u09f1\\u0a01-\\u0a75\\u0a81-\\u0aef\\u0b01-\\u0b6f\\u0b82-\\u0bef\\u0c00-\\u0c6f',
  '\\u0c80-\\u0c83\\u0c85-\\u0d4e\\u0d54-\\u0d6f\\u0d7a-\\u0df3\\u0e01-\\u0e3a\\u0e40-\\u0e4e\\u0e50-\\u0e59\\u0e81-\\u0ed9',
  '\\u1000-\\u1049\\u1050-\\u109d\\u10a0-\\u10fa\\u10fc-\\u10ff\\u1200-\\u135a\\u1780-\\u17b3\\u17b6-\\u17d3\\u17e0-\\u17e9',
  // More Latin and Greek, kana, Han, Hangul.
  '\\u1e00-\\u1fbc\\u3005-\\u3007\\u3041-\\u3096\\u30a1-\\u30fa\\u30fc-\\u30fe\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3',
].join('')
