// `npm test`: sets up the clone, checks the types, and runs the whole suite. Arguments are passed to mocha; a file
// limits the suite. Tests that need other programs besides the browser run with `npm run test:interop`.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { compiledPath, compileTests } from './compile-tests.mjs'
import { binOf, root, run, runMain, setup } from './setup.mjs'
import { typecheck } from './typecheck.mjs'

/** The batch of all specs that no other batch names. */
const REST = 'the rest'

/**
 * Folders (or files) that are one batch each, in the order in which they start: those that need the most time first,
 * so that none runs alone at the end. A spec belongs to the most specific entry.
 */
const long = [
  ['web'],
  ['http/api', 'http/auth'],
  [REST],
  ['web/console'],
  ['protocol/oidc'],
  ['protocol'],
  ['http'],
  ['properties'],
  ['event-log', 'projections'],
  ['faults/kill'],
]

/**
 * The same for specs that mostly wait, for deadlines of the service in a process of its own: they run one after the other,
 * beside the batches that need a processor.
 */
const patient = [['faults/governance'], ['faults/webhooks'], ['hostile']]

/**
 * The other files of this folder are batches of a few files, because these tests kill, stop and starve processes, which
 * no other test should notice. They are short and come last, which keeps both processors busy to the end.
 */
const APART = 'faults/'

/** A process for each file would take as long to load its modules as some files take. */
const APART_FILES = 3

/** Tests run in a random order with a fixed seed; `npm run campaign -- suite` tries other seeds. */
const USUAL_ORDER = 'usual'

/**
 * Number of batches that run at the same time, besides a patient one. Each waits some of its time; with more, two
 * processors are busy without a pause, each batch takes longer, and tests with time limits fail.
 */
const AT_ONCE = 2

/**
 * Names a file that `.ci/run` creates when the tests that it runs besides these have ended: there is room for one more
 * batch from then on.
 */
const ROOM_FOR_MORE = process.env.SVC_TEST_ROOM_FOR_MORE
const LOOK_MS = 500

const batches = () => {
  const named = [...long, ...patient].map((names) => ({ title: names.join(', '), names, specs: [] }))
  const rest = named.find(({ title }) => title === REST)
  const apart = []
  for (const path of specPaths()) {
    const [narrowest] = named
      .flatMap((batch) => batch.names.filter((name) => isIn(path, name)).map((name) => ({ batch, name })))
      .sort((one, other) => other.name.length - one.name.length)
    if (narrowest !== undefined) narrowest.batch.specs.push(path)
    else if (path.startsWith(APART)) apart.push(path)
    else rest.specs.push(path)
  }
  const few = []
  while (apart.length > 0) few.push(apart.splice(0, APART_FILES))
  return {
    working: [...named.slice(0, long.length), ...few.map((specs) => ({ title: specs.join(', '), specs }))],
    waiting: named.slice(long.length),
  }
}

const isIn = (path, name) => path.startsWith(`${name}/`) || path === `${name}.spec.ts`

const specPaths = () =>
  readdirSync(join(root, 'tests'), { recursive: true })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => path.endsWith('.spec.ts') && !path.startsWith('interop/'))
    .sort()

/** Matches the line where mocha starts to list failures, with or without colours. */
const FAILING = /^.*\d+ failing/m

/**
 * Repeats the failures at the end, where they are noticed. A batch that crashed without a summary shows its last
 * lines.
 */
const digest = (said) => {
  const at = said.search(FAILING)
  return at === -1 ? said.split('\n').slice(-40).join('\n') : said.slice(at)
}

/** Runs one batch and prints its output at the end, so that the outputs of batches do not mix. */
const runBatch = ({ title, specs }, config) =>
  new Promise((resolve, reject) => {
    const files = specs.map((path) => compiledPath(`tests/${path}`))
    const child = spawn(
      process.execPath,
      ['--enable-source-maps', binOf('mocha'), '--config', config, '--color', ...files],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const said = []
    const began = performance.now()
    child.stdout.on('data', (chunk) => said.push(chunk))
    child.stderr.on('data', (chunk) => said.push(chunk))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      const text = Buffer.concat(said).toString()
      const seconds = Math.round((performance.now() - began) / 1000)
      process.stdout.write(`${text}${title}: ${String(seconds)} s\n`)
      resolve(code === 0 ? null : { ended: signal ?? `exit ${code}`, text })
    })
  })

const runAll = async () => {
  const config = await compileTests(root)
  const { working, waiting } = batches()
  const failed = []
  const lane = async (queue) => {
    for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
      const failure = await runBatch(batch, config)
      if (failure !== null) failed.push({ title: batch.title, ...failure })
    }
  }
  const laterLane = async () => {
    while (working.length > 0 && !existsSync(ROOM_FOR_MORE)) await delay(LOOK_MS)
    await lane(working)
  }
  const lanes = [...Array.from({ length: AT_ONCE }, () => lane(working)), lane(waiting)]
  await Promise.all(ROOM_FOR_MORE === undefined ? lanes : [...lanes, laterLane()])
  for (const { title, ended, text } of failed) console.error(`failed (${ended}): ${title}\n${digest(text)}`)
  return failed.length === 0 ? 0 : 1
}

await runMain(async () => {
  await setup()
  // The build has just bundled the scripts for the browser, so no test process needs to.
  process.env.SVC_TEST_BUNDLED = '1'
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
