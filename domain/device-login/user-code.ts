/** RFC 8628 §6.1: user codes. Twenty consonants: they form no words and are not confused with each other. */

const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
/** Bytes above this value would make some letters more likely. */
const EVEN = 256 - (256 % ALPHABET.length)

/** As shown and entered: XXXX-XXXX. */
const written = (letters: string): string => `${letters.slice(0, 4)}-${letters.slice(4)}`

/** A new code. @param random that many random bytes */
export const newUserCode = (random: (bytes: number) => Iterable<number>): string => {
  let letters = ''
  while (letters.length < LENGTH)
    for (const byte of random(2 * LENGTH))
      if (byte < EVEN && letters.length < LENGTH) letters += ALPHABET[byte % ALPHABET.length] ?? ''
  return written(letters)
}

/** Parses an entered code, not case-sensitive, with or without its dash; null if it cannot be one. */
export const readUserCode = (typed: string): string | null => {
  const letters = typed.replaceAll(/[\s-]/g, '').toUpperCase()
  return letters.length === LENGTH && [...letters].every((letter) => ALPHABET.includes(letter))
    ? written(letters)
    : null
}
