/** Rotates the key of SVC_DATABASE_URL and kills itself right after its n-th message to Postgres (KILL_AFTER). */
import { randomBytes } from 'node:crypto'
import net from 'node:net'
import pg from 'pg'
import { rotateSecretKey } from '../../adapters/engines/vault/rotate.ts'
import { keyA, keyB } from './support.ts'

const killAfter = Number(process.env['KILL_AFTER'])

const write = net.Socket.prototype.write
let writes = 0
net.Socket.prototype.write = function (this: net.Socket, ...args: Parameters<typeof write>): boolean {
  const result = Reflect.apply(write, this, args)
  if (this !== (process.stdout as unknown) && ++writes === killAfter) process.kill(process.pid, 'SIGKILL')
  return result
} as typeof write

const pool = new pg.Pool({ connectionString: process.env['SVC_DATABASE_URL'], max: 1 })
const { outcome } = await rotateSecretKey({ pool, oldKey: keyA, newKey: keyB, random: randomBytes })
console.log(outcome)
await pool.end()
