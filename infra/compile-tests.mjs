// Compiles the tests and everything they import to JavaScript, once for all processes of `npm test`: mocha then needs
// no loader, which would take longer than many batches need for their tests.
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { replace } from './bundle.mjs'

const rooms = ['domain', 'projections', 'adapters', 'read-models', 'cli', 'infra', 'tests']

/** Below the project's folder, so that packages resolve. */
const compiledFolder = '.build-tests'

const isSource = (path) => /(?<!\.d)\.tsx?$/.test(path)

const toJs = (path) => path.replace(/\.tsx?$/, '.js')

/** The path of what became of a source file, relative to the project's folder. */
export const compiledPath = (path) => join(compiledFolder, toJs(path))

/**
 * Compiles each file on its own, so that each module exists once, as in the sources. Returns the path of the
 * configuration with which mocha runs the result. Only changed files are written, each atomically, because another run
 * in the same clone may read them.
 */
export const compileTests = async (root) => {
  const output = join(root, compiledFolder)
  const esbuild = await import('esbuild')
  const { outputFiles } = await esbuild.build({
    entryPoints: sources(root),
    outdir: output,
    outbase: root,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    tsconfig: join(root, 'tsconfig.json'),
    logLevel: 'warning',
    write: false,
    plugins: [eachOnItsOwn(root, output)],
  })
  await esbuild.stop()
  const config = join(output, 'mocharc.json')
  const files = new Map(outputFiles.map(({ path, contents }) => [path, contents]))
  files.set(config, Buffer.from(JSON.stringify(configuration(root))))
  for (const path of pathsIn(output)) if (!files.has(path)) rmSync(path)
  for (const folder of new Set([...files.keys()].map((path) => dirname(path))))
    mkdirSync(folder, { recursive: true })
  for (const [path, contents] of files) replace(path, contents)
  return config
}

const sources = (root) => rooms.flatMap((room) => pathsIn(join(root, room))).filter(isSource)

const pathsIn = (folder) => {
  mkdirSync(folder, { recursive: true })
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

/**
 * Imports lead to the compiled files, or to files that are not compiled where they are. A module still knows itself by
 * the path of its source, next to which its data is.
 */
const eachOnItsOwn = (root, output) => ({
  name: 'each-on-its-own',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^/ }, ({ kind, path, resolveDir }) => {
      if (kind === 'entry-point') return undefined
      if (!path.startsWith('.')) return { path, external: true }
      if (isSource(path)) return { path: toJs(path), external: true }
      const found = relative(join(output, relative(root, resolveDir)), join(resolveDir, path))
      return { path: found.split(sep).join('/'), external: true }
    })
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => ({
      loader: path.endsWith('x') ? 'tsx' : 'ts',
      contents: readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
    }))
  },
})

/** Mocha's usual configuration, for compiled files and without a loader. */
const configuration = (root) => {
  const { 'node-option': _, ...usual } = JSON.parse(readFileSync(join(root, '.mocharc.json'), 'utf8'))
  const required = (name) => (isSource(name) ? join(root, compiledPath(name)) : name)
  const require = usual.require.map((name) =>
    name === 'choma' ? join(root, 'infra', 'choma.cjs') : required(name),
  )
  return { ...usual, extension: ['js'], require }
}
