// Builds .build/: the TypeScript of every room, other needed files, and the bundles for the browser. Imports only
// core modules at first; TypeScript and esbuild are loaded once they are installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join, relative, sep } from 'node:path'
import { bundle } from './bundle.mjs'
import { bundleConsole } from './bundle-console.mjs'
import { bundleProgram } from './bundle-program.mjs'
import { writeFingerprints } from './fingerprints.mjs'

// Includes the benchmarks, so that they measure the built code instead of the output of a loader.
const rooms = ['domain', 'projections', 'adapters', 'read-models', 'cli', 'infra/bench']
const settings = [
  'tsconfig.json',
  'package-lock.json',
  'infra/tsconfig.build.json',
  'infra/tsconfig.browser.json',
  'infra/build.mjs',
  'infra/bundle.mjs',
  'infra/bundle-console.mjs',
  'infra/bundle-program.mjs',
  'infra/fingerprints.mjs',
]
const copied = new Set(['.sql', '.css', '.svg', '.yaml', '.html', '.json', '.ico', '.png', '.woff2', '.txt'])

/** Whether .build/ was built from exactly the current files. */
export const isBuilt = (root) => {
  const stamp = join(root, '.build', '.stamp')
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint(root)
}

/** Builds next to the old build and swaps the two at the end, so a failed build leaves the old one in place. */
export const build = async (root, say) => {
  say('building …')
  const stamp = fingerprint(root)
  const next = join(root, '.build-next')
  const old = join(root, '.build-old')
  for (const folder of [next, old]) rmSync(folder, { recursive: true, force: true })
  await compile(root, next)
  await bundleProgram(root, next)
  for (const file of sources(root).filter((path) => copied.has(extname(path)))) copy(root, next, file)
  // Derived from the sources, so that a build never depends on an outdated file.
  await writeFingerprints(root, next)
  await bundle(root, next)
  await bundleConsole(root, next)
  const main = join(next, 'cli', 'main.js')
  if (existsSync(main)) chmodSync(main, 0o755)
  writeFileSync(join(next, '.stamp'), stamp)
  const current = join(root, '.build')
  if (existsSync(current)) renameSync(current, old)
  renameSync(next, current)
  rmSync(old, { recursive: true, force: true })
}

const sources = (root) =>
  rooms
    .filter((room) => existsSync(join(root, room)))
    .flatMap((room) => readdirSync(join(root, room), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .sort()

const fingerprint = (root) => {
  const hash = createHash('sha256')
  for (const path of [...settings, ...sources(root)]) {
    hash.update(`${path.split(sep).join('/')}\0`)
    hash.update(
      createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest(),
    )
  }
  return hash.digest('hex')
}

/** Types are checked by `npm run typecheck`, because a build must be fast. */
const compile = async (root, next) => {
  const tsc = createRequire(join(root, 'package.json')).resolve('typescript/bin/tsc')
  const args = [tsc, '-p', join(root, 'infra', 'tsconfig.build.json'), '--outDir', next]
  const code = await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error('The build failed: TypeScript reported the errors above.')
}

const copy = (root, next, file) => {
  const target = join(next, file)
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(join(root, file), target)
}
