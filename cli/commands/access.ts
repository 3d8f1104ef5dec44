import { serverOption } from '../client/options.ts'
import { defineCommand } from '../program.ts'

export const accessCommand = defineCommand<{
  application: string
  at: string | undefined
  server: string | undefined
}>({
  command: 'access <application>',
  describe: 'Show which users can open an application, and why, now or at a past time',
  builder: (args) =>
    args
      .positional('application', { type: 'string', demandOption: true, describe: 'Name or id' })
      .option('at', { type: 'string', describe: 'A time such as 2026-01-31T09:30:00Z; default: now' })
      .option('server', serverOption),
  handler: async ({ application, at, server }) => {
    const { idOfNamed, momentQuery, reachOf, reasonsOf } = await import('../client/access-lines.ts')
    const { ownAdminApi } = await import('../client/admin-api.ts')
    const { writeRecords } = await import('../client/table.ts')
    const api = await ownAdminApi(server)
    const id = await idOfNamed(api, '/applications', 'name', application)
    const records = await api.list(`/applications/${id}/access${momentQuery(at)}`)
    writeRecords(records, ['User', 'Email', 'Can open it', 'Because of'], (record) => [
      String(record['name']),
      String(record['email']),
      reachOf(record),
      reasonsOf(record),
    ])
  },
})
