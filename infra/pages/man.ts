/** Generates the manual page svc(1) from the declared commands, with the macros of man(7). */
import { readFileSync } from 'node:fs'
import { commands } from '../../cli/commands.ts'
import { declaredBy, type DeclaredCommand, type DeclaredOption } from '../../cli/declared.ts'
import { exitCodes } from '../../cli/server/exit-codes.ts'

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'The command did what it says.',
  error: 'The command failed; the message says why.',
  usage: 'The command line or the environment is wrong, or the database is of a later release.',
  notSignedIn: 'The user is not signed in, or not for administration.',
  denied: 'The user denied the sign-in or did not decide in time, or the service refused the request.',
  unreachable: 'The service cannot be reached or is unavailable.',
  unexpected: 'The server stopped because of an unexpected error and must be started again.',
  changes: 'svc plan --detailed-exitcode found changes.',
}

const clientVariables: readonly (readonly [name: string, meaning: string])[] = [
  [
    'SVC_API_KEY',
    "An API key of a service account, for administrators' commands. It comes before the sign-in of svc login --admin.",
  ],
  ['XDG_CONFIG_HOME', 'The folder of configuration files; default: ~/.config.'],
  ['SSH_AUTH_SOCK', 'The running ssh-agent, for svc ssh-cert --agent.'],
]

const files: readonly (readonly [path: string, meaning: string])[] = [
  [
    '$XDG_CONFIG_HOME/svc/credentials.json',
    'The sign-in of svc login. On macOS in ~/Library/Application Support/svc, on Windows in %APPDATA%\\svc.',
  ],
  ['$XDG_CONFIG_HOME/svc/admin.json', 'The sign-in of svc login --admin, beside the other.'],
]

/** Text without the macros, escapes and minus signs that roff would read. */
const plain = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/[^\0-\x7f]/gu, (character) => {
      const code = character.codePointAt(0) ?? 0
      return `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`
    })

const WIDTH = 78

/** Lines of words. One that began with a point or an apostrophe would be a macro. */
const wrapped = (text: string): string =>
  text
    .split(' ')
    .reduce<string[]>((lines, word) => {
      const last = lines.at(-1)
      return last === undefined || last.length + word.length >= WIDTH
        ? [...lines, word]
        : [...lines.slice(0, -1), `${last} ${word}`]
    }, [])
    .map((line) => `${line.replace(/^(?=[.'])/, '\\&')}\n`)
    .join('')

const bold = (text: string): string => `\\fB${plain(text)}\\fR`
const italic = (text: string): string => `\\fI${plain(text)}\\fR`

/** A term and its explanation, indented. */
const item = (term: string, text: string): string => `.TP\n${term}\n${wrapped(plain(text))}`

const sentence = (text: string): string => wrapped(plain(/[.!?]$/.test(text) ? text : `${text}.`))

const valueOf = ({ name, choices }: DeclaredOption): string =>
  choices.length > 0 ? choices.map(bold).join('|') : italic(name.slice(2))

const termOf = (option: DeclaredOption): string => {
  const names = [option.alias, option.name, option.negatable ? option.name.replace('--', '--no-') : null]
  const written = names.filter((name) => name !== null).map(bold)
  return `${written.join(', ')}${option.takesValue ? ` ${valueOf(option)}` : ''}`
}

const synopsisOf = ({ name, positionals, options }: DeclaredCommand): string =>
  [
    bold(`svc ${name}`),
    ...positionals.map(({ name: positional, choices, required }) => {
      const text = choices.length > 0 ? choices.map(bold).join('|') : italic(positional)
      return required ? text : `[${text}]`
    }),
    ...options.map((option) => {
      const text = `${bold(option.name)}${option.takesValue ? ` ${valueOf(option)}` : ''}`
      return `${option.required ? text : `[${text}]`}${option.repeatable ? ' ...' : ''}`
    }),
  ].join(' ')

const commandSection = (command: DeclaredCommand): string =>
  [
    `.SS ${plain(command.name)}\n`,
    `${wrapped(synopsisOf(command))}.PP\n`,
    sentence(command.describe),
    ...command.positionals.map(({ name, describe }) => item(italic(name), describe)),
    ...command.options.map((option) => item(termOf(option), option.describe)),
  ].join('')

/** Names and meanings of the variables of the server, from the table of the README. */
const serverVariables = (readme: string): readonly (readonly [string, string])[] => {
  const inText = (cell: string): string =>
    cell
      .replaceAll(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)|`/g, '$1')
      .trim()
  return readme.split('\n').flatMap((line) => {
    const [, names, byDefault, meaning] = /^\| (`SVC_\w+`[^|]*)\|([^|]*)\|([^|]*)\|$/.exec(line) ?? []
    if (names === undefined || byDefault === undefined || meaning === undefined) return []
    const text = inText(meaning)
    const otherwise = inText(byDefault)
    return [
      [inText(names), `${text}${otherwise === '' ? '' : `${text === '' ? 'D' : '; d'}efault: ${otherwise}`}`],
    ]
  })
}

/** The version and date of the release, which the changelog has. */
const releaseOf = (root: URL): { readonly version: string; readonly date: string } => {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }
  const changelog = readFileSync(new URL('infra/docs/changelog.md', root), 'utf8')
  const date = changelog.split(`\n## ${version} (`)[1]?.slice(0, 'YYYY-MM-DD'.length)
  if (date === undefined) throw new Error(`infra/docs/changelog.md has no date of ${version}`)
  return { version, date }
}

/**
 * Returns the page.
 * @throws Error if the changelog does not have the version
 */
export const manualPage = (root: URL): string => {
  const { version, date } = releaseOf(root)
  const readme = readFileSync(new URL('README.md', root), 'utf8')
  const section = (title: string, content: string): string => `.SH ${title}\n${content}`
  return [
    `.\\" Generated by npm run docs: do not edit.\n`,
    `.TH SVC 1 ${date} "svc ${version}" "Identity service"\n`,
    section('NAME', `svc \\- run an identity service, administer it, and sign in to it\n`),
    section('SYNOPSIS', `${bold('svc')} ${italic('command')} [${italic('options')}]\n`),
    section(
      'DESCRIPTION',
      wrapped(
        `The commands from ${bold('serve')} to ${bold('dev-session')} run on the server and read its environment. Those from ` +
          `${bold('login')} to ${bold('apply')} are for users and administrators on their own computers. Every ` +
          `command has the option ${bold('--help')}.`,
      ),
    ),
    section('COMMANDS', commands.map((command) => commandSection(declaredBy(command))).join('')),
    section(
      'EXIT STATUS',
      Object.entries(exitCodes)
        .map(([name, code]) => item(bold(String(code)), meanings[name as keyof typeof exitCodes]))
        .join(''),
    ),
    section(
      'ENVIRONMENT',
      [...clientVariables, ...serverVariables(readme)]
        .map(([name, meaning]) => item(bold(name), meaning))
        .join(''),
    ),
    section('FILES', files.map(([path, meaning]) => item(italic(path), meaning)).join('')),
  ].join('')
}
