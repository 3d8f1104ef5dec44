/**
 * Applies each change in `mutations.ts` to a copy of the project, one at a time, and runs the specs that must fail.
 * Prints a line for each; the exit code is 1 if a mutant survived. Arguments: parts of file names that limit the list.
 */
import { spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mutations, type Mutation } from './mutations.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const COPIED = [
  ...['domain', 'projections', 'adapters', 'read-models', 'cli', 'tests', 'infra'],
  ...['package.json', 'tsconfig.json', '.mocharc.json', 'README.md'],
  // What the service reads of the build; the code itself is loaded from the sources.
  join('.build', 'adapters', 'inbound', 'web', 'assets'),
]
/** Number of copies that are tested at the same time. */
const LANES = 2
const LIMIT_MS = 600_000

type Outcome = 'killed' | 'survived' | 'timed out'

const copyOfProject = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mutation-'))
  for (const name of COPIED) await cp(join(root, name), join(folder, name), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

const testsOf = (folder: string, specs: readonly string[]): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js')
    const child = spawn(process.execPath, [mocha, '--bail', ...specs], { cwd: folder, stdio: 'ignore' })
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve(signal !== null ? 'timed out' : code === 0 ? 'survived' : 'killed')
    })
  })

const tried = async (folder: string, { file, line, mutant, specs }: Mutation): Promise<Outcome> => {
  const path = join(folder, file)
  const text = await readFile(path, 'utf8')
  await writeFile(
    path,
    text.replace(line, () => mutant),
  )
  try {
    return await testsOf(folder, specs)
  } finally {
    await writeFile(path, text)
  }
}

const main = async (wanted: readonly string[]): Promise<void> => {
  const waiting = mutations.filter(
    ({ file }) => wanted.length === 0 || wanted.some((part) => file.includes(part)),
  )
  const folders = await Promise.all(Array.from({ length: LANES }, copyOfProject))
  const counts: Record<Outcome, number> = { killed: 0, survived: 0, 'timed out': 0 }
  try {
    // Specs that already fail without a change would seem to detect every mutant.
    const specs = [...new Set(waiting.flatMap((each) => each.specs))]
    if ((await testsOf(folders[0] ?? '', specs)) !== 'survived')
      throw new Error('the specs fail without any change: fix those first')
    await Promise.all(
      folders.map(async (folder) => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const outcome = await tried(folder, next)
          counts[outcome]++
          process.stdout.write(`${outcome.padEnd(9)}  ${next.file}  ${next.line.trim().slice(0, 90)}\n`)
        }
      }),
    )
  } finally {
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  }
  const { killed, survived } = counts
  process.stdout.write(`${killed} killed, ${survived} survived, ${counts['timed out']} timed out\n`)
  process.exitCode = survived === 0 ? 0 : 1
}

await main(process.argv.slice(2))
