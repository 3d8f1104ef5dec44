import type { Versions } from '../server/version.ts'
import { CliError } from '../server/exit-codes.ts'
import { defineCommand } from '../program.ts'

const lines = ({ version, node, noDatabase, database }: Versions): readonly (readonly [string, string])[] => {
  const program = [
    ['svc', version],
    ['Node.js', node],
  ] as const
  if (database === null) return [...program, ['database', noDatabase ?? 'unknown']]
  const { schemas, head, treeSize, readModels, needs } = database
  const about: Readonly<Record<string, string>> = {
    ...(head === null ? {} : { log: `, ${String(head)} events` }),
    ...(treeSize === null ? {} : { proof: `, tree of ${String(treeSize)} events` }),
  }
  return [
    ...program,
    ...Object.entries(schemas).map(([schema, last]): [string, string] => {
      const text = last === null ? 'not in this database' : `${last.name}, by svc ${last.version}`
      return [schema, text + (about[schema] ?? '')]
    }),
    [
      'read models',
      `${readModels.schema}${readModels.built ? '' : ', built at the next start'}${readModels.others.map((schema) => `, ${schema} of another release`).join('')}`,
    ],
    ...(needs === null ? [] : ([['needs', `svc ${needs} or newer`]] as const)),
  ]
}

const read = async (): Promise<Versions> => {
  try {
    const { fromEnvironment } = await import('../server/environment.ts')
    const { config, log } = fromEnvironment()
    const { versions } = await import('../server/version.ts')
    return await versions(config, log)
  } catch (error) {
    // With a wrong environment, the command still prints the version of the program.
    if (!(error instanceof CliError)) throw error
    const { programVersion } = await import('../../adapters/kernel/project.ts')
    return { version: programVersion(), node: process.version, noDatabase: error.message, database: null }
  }
}

export const versionCommand = defineCommand<{ json: boolean }>({
  command: 'version',
  describe: 'Print the versions of the program and of the database, without starting anything',
  builder: (args) =>
    args.option('json', { type: 'boolean', default: false, describe: 'Print the versions as JSON' }),
  handler: async ({ json }) => {
    const found = await read()
    const width = Math.max(...lines(found).map(([name]) => name.length))
    process.stdout.write(
      json
        ? `${JSON.stringify(found)}\n`
        : lines(found)
            .map(([name, text]) => `${name.padEnd(width)}  ${text}\n`)
            .join(''),
    )
  },
})
