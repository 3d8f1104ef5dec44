// Loaded into a real `svc` before it starts: kills it before the n-th statement that contains a text (KILL_AT:
// `text#n`), or pauses it there until it is continued (KILL_SIGNAL: `SIGSTOP`).
import pg from 'pg'

const [wanted = '', nth = '1'] = (process.env['KILL_AT'] ?? '').split('#')
let seen = 0

const { query } = pg.Client.prototype
pg.Client.prototype.query = function (...args) {
  const text = typeof args[0] === 'string' ? args[0] : args[0]?.text
  if (text?.includes(wanted) && ++seen === Number(nth))
    process.kill(process.pid, process.env['KILL_SIGNAL'] ?? 'SIGKILL')
  return query.apply(this, args)
}
