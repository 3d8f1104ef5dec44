/**
 * Strict JSON parser (RFC 8259): UTF-8, no repeated key, no key that names a prototype, bounded depth. Two parsers
 * that treat a repeated key differently would see different requests.
 */
export const MAX_DEPTH = 64

const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

export class JsonProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JsonProblem'
  }
}

/** Limits for the parsing of a text, checked beforehand. */
export interface JsonLimits {
  /** Values and field names together */
  readonly tokens: number
}

/** Returns the index of the quote that ends the string starting at `start`; -1 if the string does not end. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  return -1
}

/**
 * One pass over the text without building anything: rejects expensive input before it is parsed. Counts may be wrong
 * for invalid JSON, which the parser rejects.
 */
const checkSize = (text: string, { tokens }: JsonLimits): void => {
  let count = 1
  let depth = 0
  const marks = /["{}[\],:]/g
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    switch (match[0]) {
      case '"': {
        const end = endOfString(text, match.index)
        if (end === -1) return
        marks.lastIndex = end + 1
        break
      }
      case '{':
      case '[':
        if (++depth > MAX_DEPTH) throw new JsonProblem(`The body is nested deeper than ${MAX_DEPTH} levels.`)
        count++
        break
      case '}':
      case ']':
        depth--
        break
      default:
        count++
    }
    if (count > tokens) throw new JsonProblem(`The body has more than ${String(tokens)} fields and values.`)
  }
}

const afterSpace = /[^ \t\r\n]/g

const checkKeys = (text: string): void => {
  const open: (Set<string> | null)[] = []
  const structure = /["{}[\]]/g
  for (let match = structure.exec(text); match !== null; match = structure.exec(text)) {
    switch (match[0]) {
      case '{':
      case '[':
        open.push(match[0] === '{' ? new Set() : null)
        break
      case '}':
      case ']':
        open.pop()
        break
      default: {
        const end = endOfString(text, match.index)
        structure.lastIndex = end + 1
        afterSpace.lastIndex = end + 1
        if (afterSpace.exec(text)?.[0] !== ':') break
        const key = JSON.parse(text.slice(match.index, end + 1)) as string
        const keys = open.at(-1)
        if (forbidden.has(key)) throw new JsonProblem(`The field ${JSON.stringify(key)} is not allowed.`)
        if (keys?.has(key) === true) throw new JsonProblem(`The field ${JSON.stringify(key)} appears twice.`)
        keys?.add(key)
      }
    }
  }
}

/** @throws JsonProblem with the reason, which contains nothing of the input except field names */
export const parseJson = (bytes: Uint8Array, limits: JsonLimits): unknown => {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new JsonProblem('The body is not valid UTF-8.')
  }
  checkSize(text, limits)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new JsonProblem('The body is not valid JSON.')
  }
  checkKeys(text)
  return value
}
