import type { ApiRecord } from '../client/admin-api.ts'
import { serverOption } from '../client/options.ts'
import { defineCommand } from '../program.ts'

export const whoCommand = defineCommand<{ user: string; at: string | undefined; server: string | undefined }>(
  {
    command: 'who <user>',
    describe: 'Show which applications a user can open, and why, now or at a past time',
    builder: (args) =>
      args
        .positional('user', { type: 'string', demandOption: true, describe: 'Email address or id' })
        .option('at', { type: 'string', describe: 'A time such as 2026-01-31T09:30:00Z; default: now' })
        .option('server', serverOption),
    handler: async ({ user, at, server }) => {
      const { idOfNamed, momentQuery, reachOf, reasonsOf } = await import('../client/access-lines.ts')
      const { ownAdminApi } = await import('../client/admin-api.ts')
      const { writeRecords } = await import('../client/table.ts')
      const api = await ownAdminApi(server)
      const id = await idOfNamed(api, '/users', 'email', user)
      // This list has no pages.
      const answer: unknown = await api.send('GET', `/users/${id}/access${momentQuery(at)}`)
      const records = answer as readonly ApiRecord[]
      writeRecords(records, ['Application', 'Can open', 'Because of'], (record) => [
        String(record['name']),
        reachOf(record),
        reasonsOf(record),
      ])
    },
  },
)
