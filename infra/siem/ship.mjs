// Copies the audit trail, or sign-in events, to files: NDJSON, rotated by size, each entry once, even if the process
// is killed. Run each one in a separate folder; infra/docs/siem.md describes the variables.
import {
  mkdirSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const { SVC_SIEM_URL, SVC_SIEM_FOLDER, SVC_SIEM_AUTHORIZATION, SVC_SIEM_COOKIE } = process.env
const feed = process.env.SVC_SIEM_FEED ?? 'audit'
const format = process.env.SVC_SIEM_FORMAT ?? 'ndjson'
const everyMs = Number(process.env.SVC_SIEM_EVERY ?? 5) * 1000
const maxBytes = Number(process.env.SVC_SIEM_MAX_BYTES ?? 64 * 1024 * 1024)
const firstIds = { audit: 'aud_', 'sign-ins': 'evt_' }
const types = { ndjson: 'application/x-ndjson', ocsf: 'application/vnd.ocsf+x-ndjson' }
const IDLE_MS = 60_000
const LONGEST_MS = 60_000

const problem =
  SVC_SIEM_URL === undefined || SVC_SIEM_FOLDER === undefined
    ? 'SVC_SIEM_URL (the public address) and SVC_SIEM_FOLDER must be set'
    : SVC_SIEM_AUTHORIZATION === undefined && SVC_SIEM_COOKIE === undefined
      ? 'SVC_SIEM_AUTHORIZATION (Bearer and an API key) or SVC_SIEM_COOKIE must be set'
      : firstIds[feed] === undefined
        ? 'SVC_SIEM_FEED must be audit or sign-ins'
        : types[format] === undefined
          ? 'SVC_SIEM_FORMAT must be ndjson or ocsf'
          : !(everyMs > 0) || !(maxBytes > 0)
            ? 'SVC_SIEM_EVERY and SVC_SIEM_MAX_BYTES must be numbers above 0'
            : null
if (problem !== null) {
  console.error(problem)
  process.exit(2)
}

const statePath = join(SVC_SIEM_FOLDER, `${feed}.state.json`)
const fileOf = (number) => join(SVC_SIEM_FOLDER, `${feed}-${String(number).padStart(6, '0')}.ndjson`)
const idOf = (line) => {
  const { id, metadata } = JSON.parse(line)
  return id ?? metadata.uid
}

const write = (path, flags, data) => {
  const file = openSync(path, flags, 0o600)
  try {
    for (let at = 0; at < data.length;) at += writeSync(file, data, at)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** If the process was killed in between, the file is ahead of the state, never behind it. */
const save = (state) => {
  write(`${statePath}.new`, 'w', Buffer.from(JSON.stringify(state)))
  renameSync(`${statePath}.new`, statePath)
}

/**
 * Recovers the position from a file. Complete lines that are missing in the state count; an incomplete line is
 * removed.
 */
const recoverFile = (state) => {
  const path = fileOf(state.file)
  if (!existsSync(path)) return { ...state, bytes: 0 }
  const ahead = readFileSync(path).subarray(state.bytes)
  const whole = ahead.lastIndexOf(0x0a) + 1
  if (whole < ahead.length) truncateSync(path, state.bytes + whole)
  const last = ahead.subarray(0, whole).toString().trimEnd().split('\n').at(-1)
  return { ...state, after: last === '' ? state.after : idOf(last), bytes: state.bytes + whole }
}

/** Recovers the position: a killed process may have started another file that is missing in the state. */
const recover = () => {
  mkdirSync(SVC_SIEM_FOLDER, { recursive: true, mode: 0o700 })
  const saved = existsSync(statePath) ? JSON.parse(readFileSync(statePath, 'utf8')) : null
  let state = recoverFile(saved ?? { after: firstIds[feed] + '0'.repeat(26), file: 1, bytes: 0 })
  while (existsSync(fileOf(state.file + 1))) state = recoverFile({ ...state, file: state.file + 1, bytes: 0 })
  return state
}

const append = (state, lines) => {
  const next = state.bytes >= maxBytes ? { ...state, file: state.file + 1, bytes: 0 } : state
  write(fileOf(next.file), 'a', lines)
  const last = lines.subarray(0, -1)
  const after = idOf(last.subarray(last.lastIndexOf(0x0a) + 1).toString())
  const saved = { ...next, after, bytes: next.bytes + lines.length }
  save(saved)
  return saved
}

class Refused extends Error {
  constructor(response) {
    super(`the service returned ${response.status}`)
    this.seconds = Number(response.headers.get('retry-after') ?? 0)
  }
}

const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stopping.abort())

let state = recover()

/** Writes all entries that exist now; written entries are kept if the rest does not arrive. */
const ship = async () => {
  const idle = new AbortController()
  let timer
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => idle.abort(new Error('nothing arrived for a minute')), IDLE_MS)
  }
  alive()
  try {
    const response = await fetch(`${SVC_SIEM_URL}/api/v1/${feed}?after=${state.after}`, {
      signal: AbortSignal.any([stopping.signal, idle.signal]),
      headers: {
        Accept: types[format],
        'User-Agent': 'svc-siem',
        ...(SVC_SIEM_AUTHORIZATION === undefined ? {} : { Authorization: SVC_SIEM_AUTHORIZATION }),
        ...(SVC_SIEM_COOKIE === undefined ? {} : { Cookie: SVC_SIEM_COOKIE }),
      },
    })
    if (response.status !== 200) throw new Refused(response)
    let rest = Buffer.alloc(0)
    for await (const chunk of response.body) {
      alive()
      rest = Buffer.concat([rest, chunk])
      const whole = rest.lastIndexOf(0x0a) + 1
      if (whole > 0) state = append(state, rest.subarray(0, whole))
      rest = rest.subarray(whole)
    }
  } finally {
    clearTimeout(timer)
  }
}

let failures = 0
while (!stopping.signal.aborted) {
  let pause = everyMs
  try {
    await ship()
    failures = 0
  } catch (error) {
    if (stopping.signal.aborted) break
    const most = Math.min(LONGEST_MS, 1000 * 2 ** Math.min(failures++, 10))
    pause = Math.max((error.seconds ?? 0) * 1000, most * (0.5 + Math.random() / 2))
    console.error(`${new Date().toISOString()} ${error.message}; retrying in ${Math.ceil(pause / 1000)} s`)
  }
  await delay(pause, undefined, { signal: stopping.signal }).catch(() => undefined)
}
