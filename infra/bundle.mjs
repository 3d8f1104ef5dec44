// Bundles the modules for the browser. It can also run separately: a service that is started from TypeScript serves
// the bundles in .build/ as well.
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const browserFolder = join('adapters', 'inbound', 'web', 'browser')
const bundleFolder = join('adapters', 'inbound', 'web', 'assets')

/** Maximum compressed bytes of scripts per page, so that the sign-in pages stay small. */
const bundleLimit = 15_000

/**
 * Bundles each module in adapters/inbound/web/browser for `output`, a build's top folder. Unchanged files are not
 * written, and others are replaced atomically, so that a service that starts meanwhile reads complete files.
 */
export const bundle = async (root, output) => {
  const folder = join(root, browserFolder)
  const entries = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
  const esbuild = await import('esbuild')
  const target = join(output, bundleFolder)
  const { outputFiles } = await esbuild.build({
    entryPoints: entries.map((name) => join(folder, name)),
    outdir: target,
    tsconfig: join(root, 'infra', 'tsconfig.browser.json'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  })
  // Otherwise its helper process would run as long as the service that this process becomes.
  await esbuild.stop()
  for (const { path, contents } of outputFiles) {
    const size = gzipSync(contents, { level: 9 }).length
    if (size > bundleLimit)
      throw new Error(
        `${join(bundleFolder, basename(path))} is ${size} bytes compressed; at most ${bundleLimit} are allowed. Make it lighter, or load a part of it later.`,
      )
  }
  mkdirSync(target, { recursive: true })
  for (const { path, contents } of outputFiles) replace(path, contents)
  const made = new Set(outputFiles.map(({ path }) => basename(path)))
  for (const name of readdirSync(target))
    if (name.endsWith('.js') && !made.has(name)) rmSync(join(target, name))
}

/** Writes a file atomically, unless it has this content. */
export const replace = (path, contents) => {
  if (existsSync(path) && readFileSync(path).equals(contents)) return
  const next = `${path}.${process.pid}`
  writeFileSync(next, contents)
  renameSync(next, path)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  await bundle(root, join(root, '.build'))
}
