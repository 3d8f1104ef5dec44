import { readdirSync, readFileSync } from 'node:fs'

/** proc(5): the unit of `/proc/<pid>/stat` on every Linux. */
const TICK_MS = 10

interface ProcessTimes {
  readonly parent: number
  readonly own: number
  readonly endedChildren: number
}

const timesOf = (pid: string): ProcessTimes | null => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, parent, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const sum = (from: number): number => Number(fields[from]) + Number(fields[from + 1])
    return { parent: Number(parent), own: sum(9), endedChildren: sum(11) }
  } catch {
    return null
  }
}

/**
 * Returns the milliseconds of CPU that a Postgres server has used so far: its first process, those that it has
 * started, and those of them that have ended.
 * @returns NaN if the system does not report it
 */
export const postgresCpu = (pid: number | undefined): number => {
  const server = pid === undefined ? null : timesOf(String(pid))
  if (server === null) return Number.NaN
  const running = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(timesOf)
    .filter((times) => times?.parent === pid)
  const ticks = running.reduce((total, times) => total + (times?.own ?? 0), server.own + server.endedChildren)
  return ticks * TICK_MS
}
