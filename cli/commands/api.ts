import { serverOption } from '../client/options.ts'
import { defineCommand } from '../program.ts'

interface Options {
  readonly method: string
  readonly path: string
  readonly data: string | undefined
  readonly all: boolean
  readonly server: string | undefined
}

export const apiCommand = defineCommand<Options>({
  command: 'api <method> <path>',
  describe: 'Send a request to the JSON API as an administrator, and print the response',
  builder: (args) =>
    args
      .positional('method', {
        type: 'string',
        demandOption: true,
        choices: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        describe: 'The HTTP method',
      })
      .positional('path', { type: 'string', demandOption: true, describe: 'Below /api/v1, such as /users' })
      .option('data', {
        type: 'string',
        nargs: 1,
        describe: 'The JSON body; @file reads a file, and - standard input',
      })
      .option('all', { type: 'boolean', default: false, describe: 'All pages of a list, as NDJSON' })
      .option('server', serverOption),
  handler: async ({ method, path, data, all, server }) => {
    const { ownAdminApi } = await import('../client/admin-api.ts')
    const { ndjson } = await import('../client/table.ts')
    const { bodyFrom } = await import('../client/request-body.ts')
    const { CliError, exitCodes } = await import('../server/exit-codes.ts')
    if (!/^\/[\w./?&=%:+~,@-]*$/.test(path))
      throw new CliError(exitCodes.usage, 'path: expected a path below /api/v1 such as /users?limit=5')
    if (all && method !== 'GET') throw new CliError(exitCodes.usage, '--all is only for GET requests')
    const body = await bodyFrom(data)
    const api = await ownAdminApi(server)
    if (all) {
      process.stdout.write(ndjson(await api.list(path)))
      return
    }
    const answer = await api.send(method, path, body)
    process.stdout.write(`${JSON.stringify(answer, null, process.stdout.isTTY ? 2 : 0)}\n`)
  },
})
