/** A word with digits that is longer than an id: a key or a hash, in which no reader looks for words. */
const KEY = /(?=\S*\d)\S{33,}/u

/**
 * Splits an address, a URL or the name of an event where a line can break, so that a narrow column does not cut its
 * words. Numbers and ids stay whole, such as 192.0.2.1, 12:30 and usr_01KAJ4Y8T0M3Q2ZB5W9XD7NCVE;
 * keys and hashes, which are longer, do not.
 */
export const breakableParts = (value: string): readonly string[] =>
  value
    .split(/(?<=[^\s@./:_|?&=][@./:_|?&=]+)(?=[^\s@./:_|?&=])(?<!(?:\d[.:]|_)(?=\d))/u)
    .flatMap((part) => (KEY.test(part) ? (part.match(/\s*\S{1,16}\s*/gu) ?? []) : [part]))
