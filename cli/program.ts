import yargs from 'yargs'
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { closest } from './server/closest.ts'
import { CliError, exitCodes } from './server/exit-codes.ts'
import type { ExitCode } from './server/exit-codes.ts'

/**
 * One command of `svc`. Its handler imports heavy modules (the server, the database) only when called, so that `svc
 * whoami` does not load a server.
 */
export interface Command<Options extends object = object> {
  /** Name and positional arguments, for example `ssh-cert` or `rebuild <name>` */
  readonly command: string
  /** One line for the help text */
  readonly describe: string
  readonly builder: (args: Argv) => Argv<Options>
  /** A CliError ends the program with its code and message, any other error with code 1. */
  readonly handler: (options: ArgumentsCamelCase<Options>) => Promise<void>
}

/** Where the program writes its own messages. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** Hides the option types of a command, which the list of commands does not need. */
export const defineCommand = <Options extends object>(command: Command<Options>): Command =>
  command as unknown as Command

/**
 * Runs one command line.
 *
 * @param args without the program's name
 * @returns the exit code; all output has been written
 */
export const runCli = async (
  args: readonly string[],
  commands: readonly Command[],
  terminal: Terminal,
): Promise<ExitCode> => {
  const { programVersion } = await import('../adapters/kernel/project.ts')
  const failures: unknown[] = []
  const program = commands
    .reduce((parser, command) => parser.command(asModule(command, failures)), yargs())
    .scriptName('svc')
    .usage('$0 <command> [options]')
    .version(programVersion())
    .help()
    .alias('help', 'h')
    .locale('en')
    .wrap(100)
    .strict()
    .exitProcess(false)
    .fail(false)
  const [first] = args
  if (first === undefined) {
    terminal.out(`${await program.getHelp()}\n`)
    return exitCodes.ok
  }
  const known = commands.map(nameOf)
  if (!first.startsWith('-') && !known.includes(first)) return refuse(unknownCommand(first, known), terminal)
  try {
    await program.parseAsync([...args], {}, (_error: unknown, _argv: unknown, output: string) => {
      if (output !== '') terminal.out(`${output}\n`)
    })
  } catch (error) {
    const hint = known.includes(first) ? `Run "svc ${first} --help" for its options.` : allCommands
    return refuse(`${error instanceof Error ? error.message : String(error)}\n${hint}`, terminal)
  }
  return failures.length === 0 ? exitCodes.ok : explain(failures[0], terminal)
}

const allCommands = 'Run "svc --help" for the commands.'

const nameOf = ({ command }: Command): string => command.split(' ', 1)[0] ?? command

/** Separates errors of yargs, which are about the command line, from errors of handlers. */
const asModule = ({ command, describe, builder, handler }: Command, failures: unknown[]) => ({
  command,
  describe,
  builder,
  handler: async (options: ArgumentsCamelCase) => {
    try {
      await handler(options)
    } catch (error) {
      failures.push(error)
    }
  },
})

const unknownCommand = (name: string, known: readonly string[]): string => {
  const meant = closest(name, known)
  return `Unknown command: ${name}${meant === undefined ? '' : `; did you mean "svc ${meant}"?`}\n${allCommands}`
}

const refuse = (message: string, { err }: Terminal): ExitCode => {
  err(`svc: ${message}\n`)
  return exitCodes.usage
}

const explain = (error: unknown, { err }: Terminal): ExitCode => {
  if (error instanceof CliError) {
    err(`svc: ${error.message}\n`)
    return error.exitCode
  }
  err(`svc: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return exitCodes.error
}
