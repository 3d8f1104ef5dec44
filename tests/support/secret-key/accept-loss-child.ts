/**
 * Accepts the loss of the secret key of SVC_DATABASE_URL, and kills itself right before the n-th statement that holds a
 * text (KILL_AT as `text#n`).
 */
import pg from 'pg'
import { acceptLostSecretKey } from '../../../cli/server/accept-lost-secret-key.ts'
import { fromEnvironment } from '../../../cli/server/environment.ts'

const [wanted = '', nth = '1'] = (process.env['KILL_AT'] ?? '').split('#')
delete process.env['KILL_AT']
let seen = 0

const textOf = (statement: unknown): string =>
  typeof statement === 'string'
    ? statement
    : ((statement as { readonly text?: string } | undefined)?.text ?? '')

const query: unknown = pg.Client.prototype.query
Object.assign(pg.Client.prototype, {
  query(this: pg.Client, ...args: readonly unknown[]): unknown {
    if (textOf(args[0]).includes(wanted) && ++seen === Number(nth)) process.kill(process.pid, 'SIGKILL')
    return Reflect.apply(query as (...given: readonly unknown[]) => unknown, this, args)
  },
})

const { config, log } = fromEnvironment()
process.stdout.write(await acceptLostSecretKey(config, log))
