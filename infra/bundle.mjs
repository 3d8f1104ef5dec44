// Bundles the modules for the browser. Run by itself it does so for sources that run without a build of their own:
// the service started from TypeScript serves what is in .build/ too.
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const browserFolder = join('adapters', 'inbound', 'web', 'browser')
const bundleFolder = join('adapters', 'inbound', 'web', 'assets')

/** What a page may load, compressed, in bytes: the pages that guard every other page stay light. */
const bundleLimit = 15_000

/**
 * Bundles each module in adapters/inbound/web/browser for `output`, a build's top folder. Files that stay the same are left
 * alone, and others change in one step, so that a service starting meanwhile reads whole ones.
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
  // Its helper process would otherwise stay as long as the service that this process becomes.
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

const replace = (path, contents) => {
  if (existsSync(path) && readFileSync(path).equals(contents)) return
  const next = `${path}.${process.pid}`
  writeFileSync(next, contents)
  renameSync(next, path)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  await bundle(root, join(root, '.build'))
}
