/**
 * Completion in shells. Their scripts call `svc --complete <words>` with the words up to the cursor, and get one
 * candidate a line: the text, a tab, its description.
 */
import { declaredBy, type DeclaredArgument, type DeclaredCommand } from './declared.ts'
import type { Command } from './program.ts'

export const COMPLETE = '--complete'

interface Candidate {
  readonly text: string
  readonly describe: string
}

const everywhere: readonly Candidate[] = [{ text: '--help', describe: 'Show help' }]

const choicesOf = ({ choices }: DeclaredArgument): readonly Candidate[] =>
  choices.map((text) => ({ text, describe: '' }))

const optionsOf = ({ options }: DeclaredCommand, used: readonly string[]): readonly Candidate[] => [
  ...options
    .filter(
      ({ name, alias, repeatable }) => repeatable || !used.some((word) => word === name || word === alias),
    )
    .flatMap(({ name, describe, negatable }) => [
      { text: name, describe },
      ...(negatable ? [{ text: name.replace('--', '--no-'), describe: `Not ${name}` }] : []),
    ]),
  ...everywhere,
]

/** Returns the candidates after the name of a command; none where a file or a text of the user is expected. */
const argumentsOf = (
  declared: DeclaredCommand,
  before: readonly string[],
  current: string,
): readonly Candidate[] => {
  const optionAt = (word: string | undefined) =>
    declared.options.find(({ name, alias }) => word === name || word === alias)
  const previous = optionAt(before.at(-1))
  if (previous?.takesValue === true) return choicesOf(previous)
  if (current.startsWith('-')) return optionsOf(declared, before)
  const given = before.filter(
    (word, at) => !word.startsWith('-') && optionAt(before[at - 1])?.takesValue !== true,
  )
  const positional = declared.positionals[given.length]
  return positional === undefined ? optionsOf(declared, before) : choicesOf(positional)
}

/** `--shell=ba` is one word for most shells, and three for bash. */
const separated = (words: readonly string[]): readonly string[] => {
  const apart = words.flatMap((word) => {
    const [, name, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? []
    return name === undefined ? [word] : [name, value ?? '']
  })
  return (apart.at(-1) === '=' ? [...apart, ''] : apart).filter((word) => word !== '=')
}

/**
 * Returns what can stand at the cursor, as lines for the scripts of shells.
 * @param words after the name of the program; the last is the one at the cursor, perhaps empty
 */
export const completionLines = (commands: readonly Command[], words: readonly string[]): string => {
  const apart = separated(words)
  const before = apart.slice(0, -1)
  const current = apart.at(-1) ?? ''
  const [first, ...rest] = before
  const named = commands.find(({ command }) => command.split(' ', 1)[0] === first)
  const start = (): readonly Candidate[] =>
    current.startsWith('-')
      ? [...everywhere, { text: '--version', describe: 'Show the version' }]
      : commands.map(({ command, describe }) => ({ text: command.split(' ', 1)[0] ?? command, describe }))
  const found =
    named === undefined ? (first === undefined ? start() : []) : argumentsOf(declaredBy(named), rest, current)
  // A shell that does not separate the words replaces all of the last one.
  const written = words.at(-1) ?? ''
  const prefix =
    written !== current && written !== '=' ? written.slice(0, written.length - current.length) : ''
  return found
    .filter(({ text }) => text.startsWith(current))
    .map(({ text, describe }) => `${prefix}${text}\t${describe}\n`)
    .join('')
}
