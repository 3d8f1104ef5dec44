import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Nothing holds the lock this long; a process that seems to has only inherited a dead one's number. */
const longestHold = 30 * 60_000

/**
 * Runs `work` while holding the lock file at `path`, which names the process that holds it. Waits while that
 * process lives; takes over from one that has died.
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

/** A link appears with its content in one step, so nobody ever reads a lock that names nobody. */
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

/** Only what was read is removed: a lock that somebody took in between is put back. */
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
  // In a container a killed predecessor often had our own number.
  if (Number(pid) === process.pid) return false
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
