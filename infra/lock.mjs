import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Nothing holds the lock this long; if a process seems to, it only has the process id of a dead one. */
const longestHold = 30 * 60_000

/**
 * Runs `work` while holding the lock file at `path`, which contains the id of the process that holds it. Waits while
 * that process runs; takes the lock over if the process has died.
 */
export const withLock = async (path, say, work) => {
  let told = false
  while (!take(path)) {
    const holder = read(path)
    if (holder === undefined) continue
    if (!isAlive(holder) || age(path) > longestHold) {
      breakLock(path, holder)
      continue
    }
    if (!told) say(`waiting for another set-up of this folder (process ${holder}) …`)
    told = true
    await sleep(200)
  }
  const release = () => {
    if (read(path) === String(process.pid)) rmSync(path, { force: true })
  }
  process.once('exit', release)
  try {
    return await work()
  } finally {
    process.removeListener('exit', release)
    release()
  }
}

/** A link appears together with its content, so no process reads a lock file without a process id. */
const take = (path) => {
  const own = `${path}-${process.pid}`
  writeFileSync(own, String(process.pid))
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(own, { force: true })
  }
}

/** Removes only the lock that was read: if another process has taken it meanwhile, puts it back. */
const breakLock = (path, holder) => {
  const aside = `${path}-${process.pid}-old`
  try {
    renameSync(path, aside)
    if (read(aside) !== holder) linkSync(aside, path)
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

const read = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

const age = (path) => {
  try {
    return Date.now() - statSync(path).mtimeMs
  } catch {
    return 0
  }
}

const isAlive = (pid) => {
  // In a container, a killed predecessor often had the same process id.
  if (Number(pid) === process.pid) return false
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
