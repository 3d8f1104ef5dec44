// Derives a fingerprint of each table of the read models, so that an upgrade rebuilds exactly the tables that change.
// It covers the table's definition, the code of its projection with everything that this code uses and the code that
// applies it, and the versions of the events that it reads. Comments, layout and variable names are not hashed. The
// code of the event catalogue is omitted: each table lists the versions of its own events, so an event without effect
// on a table does not change its fingerprint.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const tablesFolder = join('read-models', 'tables')
export const fingerprintsFile = join('read-models', 'fingerprints.json')

const hashOf = (text) => createHash('sha256').update(text).digest('base64url').slice(0, 16)

const bare = (sql) => sql.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim()

/** Our modules have no side effects, so unused ones are omitted. */
const withoutSideEffects = {
  name: 'without-side-effects',
  setup: (build) => {
    build.onResolve({ filter: /^\./ }, async ({ path, pluginData, ...options }) => {
      if (pluginData === 'resolved') return undefined
      if (path.endsWith('/catalogue.ts')) return { path, external: true, sideEffects: false }
      const resolved = await build.resolve(path, { ...options, pluginData: 'resolved' })
      return { ...resolved, sideEffects: false }
    })
  },
}

const bundle = async (esbuild, options) => {
  const { outputFiles } = await esbuild.build({
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
  })
  return outputFiles
}

/** Loads the tables and the catalogue as they are at run time. */
const running = async (esbuild, root) => {
  const [output] = await bundle(esbuild, {
    stdin: {
      contents: `export { coreTables } from './projections/core.ts'
        export { auditTables } from './projections/audit.ts'
        export { rowOf } from './domain/catalogue.ts'`,
      resolveDir: root,
    },
  })
  return import(`data:text/javascript;base64,${Buffer.from(output.contents).toString('base64')}`)
}

/** Returns what rows depend on in an event type: the shape of its data, and how its audit entry is created. */
const versionOf = ({ schema, upcast, audit, target, subject }, usesCatalogue) => {
  const facts = { schema, upcast, ...(usesCatalogue ? { audit, target, subject } : {}) }
  return hashOf(JSON.stringify(facts, (_, value) => (typeof value === 'function' ? String(value) : value)))
}

/**
 * Returns the fingerprints of all tables, by name.
 * @returns `{ <table>: { definition, projection, events: { <type>: <version> } } }`
 */
export const deriveFingerprints = async (root) => {
  const esbuild = await import('esbuild')
  try {
    const { coreTables, auditTables, rowOf } = await running(esbuild, root)
    const tables = [...coreTables, ...auditTables].sort((a, b) => (a.name < b.name ? -1 : 1))
    const fileOf = ({ name }, extension) => `${name.replaceAll('_', '-')}${extension}`
    const projections = join(root, 'projections')
    const entryPoints = [
      join(projections, 'apply.ts'),
      ...tables.map((table) => join(projections, 'tables', fileOf(table, '.ts'))),
    ]
    const outputs = await bundle(esbuild, { entryPoints, outdir: root, plugins: [withoutSideEffects] })
    const code = new Map(outputs.map(({ path, text }) => [basename(path, '.js'), text]))
    return Object.fromEntries(
      tables.map((table) => {
        const projection = code.get(fileOf(table, ''))
        const usesCatalogue = projection.includes('catalogue.ts')
        const types = Object.keys(table.on).sort()
        return [
          table.name,
          {
            definition: hashOf(bare(readFileSync(join(root, tablesFolder, fileOf(table, '.sql')), 'utf8'))),
            projection: hashOf(`${projection}${code.get('apply')}`),
            events: Object.fromEntries(types.map((type) => [type, versionOf(rowOf(type), usesCatalogue)])),
          },
        ]
      }),
    )
  } finally {
    // Its helper process would otherwise run as long as this process.
    await esbuild.stop()
  }
}

/** Writes the fingerprints of the sources below `output`, if they differ. */
export const writeFingerprints = async (root, output = root) => {
  const file = join(output, fingerprintsFile)
  const text = `${JSON.stringify(await deriveFingerprints(root), null, 2)}\n`
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await writeFingerprints(fileURLToPath(new URL('..', import.meta.url)))
