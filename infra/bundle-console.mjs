// Bundles the console with Vite into static files, and checks their sizes.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { replace } from './bundle.mjs'

export const consoleSource = join('adapters', 'inbound', 'web', 'browser', 'console')
const assets = join('adapters', 'inbound', 'web', 'assets')
const folders = { false: join(assets, 'console'), true: join(assets, 'console-dev') }

/** Maximum compressed bytes of the scripts that the first page loads, and of each script that is loaded later. */
const FIRST_LIMIT = 130_000
const LATER_LIMIT = 30_000

/** React Aria has its announcements in 30 languages; the console has two. */
const twoLanguages = {
  name: 'two-languages',
  load: (id) =>
    /node_modules[\\/]react-(?:aria|stately)[\\/].*[\\/](?!en-US|de-DE)[a-z]{2}-[A-Z]{2}\.m?js$/.test(id)
      ? 'export default {}'
      : null,
}

/**
 * Bundles the console for `output`, a build's top folder. Unchanged files are not written.
 * @param withKitPage adds the page that shows the kit, in a folder that only a service in development mode serves
 */
export const bundleConsole = async (root, output, withKitPage = false) => {
  const { build } = await import('vite')
  const { output: files } = await build({
    configFile: false,
    root: join(root, consoleSource),
    base: '/assets/console/',
    publicDir: false,
    plugins: [twoLanguages],
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic' } },
    define: { WITH_KIT_PAGE: String(withKitPage) },
    build: {
      write: false,
      manifest: 'manifest.json',
      modulePreload: { polyfill: false },
      target: 'es2022',
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: join(root, consoleSource, 'main.tsx'),
        onLog: (level, log, handle) => {
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log)
        },
        output: {
          entryFileNames: '[name]-[hash].js',
          chunkFileNames: '[name]-[hash].js',
          assetFileNames: '[name]-[hash][extname]',
          codeSplitting: {
            groups: [
              { name: 'react', test: /node_modules[\\/](?:react|react-dom|scheduler)[\\/]/ },
              // What most pages use is one file instead of ten.
              {
                name: 'kit',
                test: /console[\\/](?:kit[\\/](?!combobox|menu-list|aria|chart)|risk-|user-status)/,
              },
              { name: 'chart', test: /console[\\/](?:sign-in-chart|kit[\\/]chart)/ },
            ],
          },
        },
      },
    },
  })
  checkSizes(files)
  const folder = join(output, folders[withKitPage])
  mkdirSync(folder, { recursive: true })
  for (const { fileName, code, source: text } of files)
    replace(join(folder, fileName), Buffer.from(code ?? text))
  const made = new Set(files.map(({ fileName }) => fileName))
  for (const name of readdirSync(folder)) if (!made.has(name)) rmSync(join(folder, name))
}

const sizeOf = ({ code }) => gzipSync(code, { level: 9 }).length

const checkSizes = (files) => {
  const scripts = files.filter(({ type }) => type === 'chunk')
  const entry = scripts.find(({ isEntry }) => isEntry)
  const first = new Set()
  const add = (name) => {
    if (first.has(name)) return
    first.add(name)
    for (const next of scripts.find(({ fileName }) => fileName === name)?.imports ?? []) add(next)
  }
  add(entry.fileName)
  const size = scripts
    .filter(({ fileName }) => first.has(fileName))
    .reduce((sum, file) => sum + sizeOf(file), 0)
  if (size > FIRST_LIMIT)
    throw new Error(
      `The console starts with ${size} bytes of compressed scripts; at most ${FIRST_LIMIT} are allowed.`,
    )
  for (const file of scripts)
    if (!first.has(file.fileName) && sizeOf(file) > LATER_LIMIT)
      throw new Error(
        `${file.fileName} is ${sizeOf(file)} bytes compressed; at most ${LATER_LIMIT} are allowed.`,
      )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const withKitPage = process.argv.includes('--kit')
  await bundleConsole(root, join(root, '.build'), withKitPage)
  const folder = join(root, '.build', folders[withKitPage])
  if (existsSync(folder))
    for (const name of readdirSync(folder).sort())
      console.log(`${name} ${gzipSync(readFileSync(join(folder, name)), { level: 9 }).length}`)
}
