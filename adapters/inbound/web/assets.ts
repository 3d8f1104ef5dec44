import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { acceptsGzip } from '../http/accept.ts'
import { sendDocument } from '../http/respond.ts'
import type { Endpoint } from '../http/table.ts'
import { favicon } from './kit/favicon.ts'
import { stillStyles, type Theme } from './kit/still.ts'
import { own } from '../../../domain/own.ts'

/** The front end's files, held in memory under names that change with their content. */
export interface Assets {
  /** Path of an asset by its plain name (`sign-in.js`, `app.css`, `favicon.svg`). Throws on an unknown name. */
  readonly url: (name: string) => string
  /** Path of `app.css` as it applies in one theme, for previews. */
  readonly still: (theme: Theme) => string
  readonly console: ConsoleFiles
  /** One endpoint for each asset. */
  readonly endpoints: readonly Endpoint[]
}

/** The paths of the files that the console starts from. All others are loaded by its script. */
export interface ConsoleFiles {
  readonly script: string
  /** Scripts that the first one imports */
  readonly preloads: readonly string[]
  readonly styles: readonly string[]
  /** Whether it can show its kit, which is only for development */
  readonly hasKitPage: boolean
}

interface Asset {
  readonly path: string
  readonly type: string
  readonly plain: Buffer
  readonly gzip: Buffer
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const stylesheets = [
  'tokens.css',
  'styles.css',
  'controls.css',
  'account.css',
  'device.css',
  'codes.css',
  'sign-in.css',
]
const themes: readonly Theme[] = ['light', 'dark']
const stillName = (theme: Theme): string => `app-${theme}.css`

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const asset = (name: string, text: string): [string, Asset] => {
  const extension = extname(name)
  const type = own(types, extension)
  if (type === undefined) throw new Error(`Unknown content type for the asset ${name}`)
  const plain = Buffer.from(text)
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 12)
  const path = `/assets/${basename(name, extension)}-${hash}${extension}`
  return [name, { path, type, plain, gzip: gzipSync(plain) }]
}

/** In a build the scripts are beside this file. From source, the service uses those of the last build. */
const scriptFolder = import.meta.url.endsWith('.ts')
  ? here('../../../.build/adapters/inbound/web/assets/')
  : here('./assets/')

const scripts = async (): Promise<[string, Asset][]> => {
  const files = await readdir(scriptFolder).catch((cause: unknown) => {
    throw new Error(`No browser scripts found in ${scriptFolder}. Run "npm run build".`, { cause })
  })
  const names = files.filter((name) => name.endsWith('.js'))
  return Promise.all(names.map(async (name) => asset(name, await readFile(join(scriptFolder, name), 'utf8'))))
}

const CONSOLE_PATH = '/assets/console/'

/** A file as Vite's manifest describes it. */
interface ManifestEntry {
  readonly file: string
  readonly isEntry?: boolean
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

/** Loads the console's files, whose names already change with their content. */
const consoleFiles = async (
  development: boolean,
): Promise<{ files: ConsoleFiles; assets: readonly Asset[] }> => {
  // `npm run dev` bundles it with the page that shows the kit.
  const hasKitPage = development && existsSync(join(scriptFolder, 'console-dev', 'manifest.json'))
  const folder = join(scriptFolder, hasKitPage ? 'console-dev' : 'console')
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Readonly<
    Record<string, ManifestEntry>
  >
  const entry = Object.values(manifest).find(({ isEntry }) => isEntry === true)
  if (entry === undefined) throw new Error(`The manifest in ${folder} names no entry. Run "npm run build".`)
  const imported = (entry.imports ?? []).flatMap((name) => own(manifest, name) ?? [])
  const names = (await readdir(folder)).filter((name) => own(types, extname(name)) !== undefined)
  const assets = await Promise.all(
    names.map(async (name) => {
      const plain = await readFile(join(folder, name))
      const type = own(types, extname(name)) ?? ''
      return { path: CONSOLE_PATH + name, type, plain, gzip: gzipSync(plain) }
    }),
  )
  return {
    files: {
      script: CONSOLE_PATH + entry.file,
      preloads: imported.map(({ file }) => CONSOLE_PATH + file),
      styles: [entry, ...imported].flatMap(({ css = [] }) => css.map((file) => CONSOLE_PATH + file)),
      hasKitPage,
    },
    assets,
  }
}

const endpointOf = ({ path, type, plain, gzip }: Asset): Endpoint => ({
  path,
  handlers: {
    GET: ({ headers }, response) => {
      const zipped = acceptsGzip(headers['accept-encoding'])
      sendDocument(response, zipped ? gzip : plain, {
        type,
        cache: 'public, max-age=31536000, immutable',
        headers: { Vary: 'Accept-Encoding', ...(zipped ? { 'Content-Encoding': 'gzip' } : {}) },
      })
    },
  },
})

const load = async (development: boolean): Promise<Assets> => {
  const parts = await Promise.all(stylesheets.map((name) => readFile(here(`./kit/${name}`), 'utf8')))
  const css = parts.join('\n')
  const byName = new Map([
    ...(await scripts()),
    asset('app.css', css),
    ...themes.map((theme) => asset(stillName(theme), stillStyles(css, theme))),
    asset('favicon.svg', favicon),
  ])
  const url = (name: string): string => {
    const namedAsset = byName.get(name)
    if (!namedAsset) throw new Error(`Asset not found: ${name}`)
    return namedAsset.path
  }
  const { files, assets } = await consoleFiles(development)
  return {
    url,
    still: (theme) => url(stillName(theme)),
    console: files,
    endpoints: [...byName.values(), ...assets].map(endpointOf),
  }
}

const loaded = new Map<boolean, Promise<Assets>>()

/**
 * Loads the assets, once for all services of the process: compressing them takes longer than most of a start.
 * @param development whether to prefer the console as bundled for development
 * @throws Error if the scripts have not been built
 */
export const loadAssets = (development = false): Promise<Assets> => {
  const assets = loaded.get(development) ?? load(development)
  loaded.set(development, assets)
  return assets
}
