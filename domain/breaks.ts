/**
 * Splits an address, a URL or the name of an event where a line can break, so that a narrow column does not cut its
 * words. Numbers stay whole, such as 192.0.2.1 and 12:30.
 */
export const breakableParts = (value: string): readonly string[] =>
  value.split(/(?<=[^\s@./:_|?&=][@./:_|?&=]+)(?=[^\s@./:_|?&=])(?<!\d[.:](?=\d))/u)
