/** What commands declare about their arguments, as data: for completion in shells and for the manual page. */
import type { Argv, Options, PositionalOptions } from 'yargs'
import type { Command } from './program.ts'

export interface DeclaredArgument {
  readonly name: string
  readonly describe: string
  readonly choices: readonly string[]
}

export interface DeclaredPositional extends DeclaredArgument {
  readonly required: boolean
}

export interface DeclaredOption extends DeclaredArgument {
  /** With its dashes, such as `-f` */
  readonly alias: string | null
  readonly required: boolean
  /** Whether an argument follows it */
  readonly takesValue: boolean
  readonly repeatable: boolean
  /** Whether `--no-…` turns it off */
  readonly negatable: boolean
}

export interface DeclaredCommand {
  readonly name: string
  readonly describe: string
  readonly positionals: readonly DeclaredPositional[]
  readonly options: readonly DeclaredOption[]
}

const textsOf = (choices: Options['choices']): readonly string[] => (choices ?? []).map(String)

/** yargs accepts both forms of a name in camel case. */
const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const optionOf = (name: string, options: Options): DeclaredOption => ({
  name: `--${kebab(name)}`,
  describe: options.describe ?? '',
  choices: textsOf(options.choices),
  alias: typeof options.alias === 'string' ? `-${options.alias}` : null,
  required: options.demandOption === true,
  takesValue: options.type !== 'boolean',
  repeatable: options.array === true,
  negatable: options.type === 'boolean' && options.default === true,
})

/** Returns what a command declares. Its builder runs, its handler does not. */
export const declaredBy = ({ command, describe, builder }: Command): DeclaredCommand => {
  const [name = '', ...written] = command.split(' ')
  const required = new Set(written.filter((text) => text.startsWith('<')).map((text) => text.slice(1, -1)))
  const positionals: DeclaredPositional[] = []
  const options: DeclaredOption[] = []
  const recorder = {
    option: (key: string, declared: Options) => {
      options.push(optionOf(key, declared))
      return recorder
    },
    positional: (key: string, { describe: what = '', choices }: PositionalOptions) => {
      positionals.push({ name: key, describe: what, choices: textsOf(choices), required: required.has(key) })
      return recorder
    },
  }
  builder(recorder as unknown as Argv)
  return { name, describe, positionals, options }
}
