// `npm test`: sets the clone up, checks the types, runs the whole suite. Arguments go to mocha; a file narrows the suite.
// What needs programs of others beside the browser is left to `npm run test:interop`.
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { binOf, root, run, runMain, setup } from './setup.mjs'
import { typecheck } from './typecheck.mjs'

/** Folders that take long, the longest first; whatever else there is goes in one batch after them. */
const long = [
  'web',
  'protocol',
  'http',
  'faults',
  'hostile',
  'properties',
  'mail',
  'event-log',
  'projections',
]

/** Whose files are batches of their own: what they kill, stop and starve is nobody else's. */
const APART = 'faults'

const filesOf = (folder) =>
  readdirSync(join(root, 'tests', folder))
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => [`tests/${folder}/${name}`])

/** Tests run in an order that nobody chose, but the same each time; `npm run campaign -- suite` tries others. */
const USUAL_ORDER = 'usual'

/** How many batches run at the same time: much of each is waiting. */
const AT_ONCE = 3

const batches = () => {
  const folders = readdirSync(join(root, 'tests'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'interop')
    .map(({ name }) => name)
  const rest = folders.filter((name) => !long.includes(name))
  return [...long.map((name) => [name]), rest].flatMap((names) =>
    names.includes(APART) ? filesOf(APART) : [names.map((name) => `tests/${name}/**/*.spec.ts`)],
  )
}

/** Where mocha begins to tell what failed, its colours aside. */
const FAILING = /^.*\d+ failing/m

/** What failed, once more: the end of a long output is what gets read. A batch that died without a summary shows its last lines. */
const digest = (said) => {
  const at = said.search(FAILING)
  return at === -1 ? said.split('\n').slice(-40).join('\n') : said.slice(at)
}

/** Runs one batch and shows what it said when it is done, so that batches do not talk into each other. */
const runBatch = (specs) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [binOf('mocha'), '--color', ...specs], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = []
    const began = performance.now()
    child.stdout.on('data', (chunk) => said.push(chunk))
    child.stderr.on('data', (chunk) => said.push(chunk))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      const text = Buffer.concat(said).toString()
      const seconds = Math.round((performance.now() - began) / 1000)
      process.stdout.write(`${text}${specs.join(' ')}: ${String(seconds)} s\n`)
      resolve(code === 0 ? null : { ended: signal ?? `exit ${code}`, text })
    })
  })

const runAll = async () => {
  const waiting = batches()
  const failed = []
  const lane = async () => {
    for (let specs = waiting.shift(); specs !== undefined; specs = waiting.shift()) {
      const failure = await runBatch(specs)
      if (failure !== null) failed.push({ specs: specs.join(' '), ...failure })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  for (const { specs, ended, text } of failed) console.error(`failed (${ended}): ${specs}\n${digest(text)}`)
  return failed.length === 0 ? 0 : 1
}

await runMain(async () => {
  await setup()
  process.exitCode = await typecheck()
  if (process.exitCode !== 0) return
  const args = process.argv.slice(2)
  process.env.CHOMA_SEED ??= USUAL_ORDER
  if (args.length === 0) {
    process.exitCode = await runAll()
    return
  }
  const files = args.some((arg) => arg.endsWith('.spec.ts'))
    ? []
    : ['--ignore', 'tests/interop/**', 'tests/**/*.spec.ts']
  process.exitCode = await run(process.execPath, [binOf('mocha'), ...args, ...files])
})
