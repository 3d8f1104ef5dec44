/** RFC 8628 §6.1: user codes. Twenty consonants: they form no words and are not confused with each other. */

const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
/** Bytes above this value would make some letters more likely. */
const EVEN = 256 - (256 % ALPHABET.length)

/** The form that is shown and entered: XXXX-XXXX. */
const written = (characters: string): string => `${characters.slice(0, 4)}-${characters.slice(4)}`

/**
 * Returns a new code.
 * @param random returns that many random bytes
 */
export const newUserCode = (random: (bytes: number) => Iterable<number>): string => {
  let characters = ''
  while (characters.length < LENGTH)
    for (const byte of random(2 * LENGTH))
      if (byte < EVEN && characters.length < LENGTH) characters += ALPHABET[byte % ALPHABET.length] ?? ''
  return written(characters)
}

/** Parses an entered code, not case-sensitive, with or without its dash; null if it cannot be one. */
export const readUserCode = (typed: string): string | null => {
  const characters = typed.replaceAll(/[\s-]/g, '').toUpperCase()
  return characters.length === LENGTH && [...characters].every((character) => ALPHABET.includes(character))
    ? written(characters)
    : null
}
