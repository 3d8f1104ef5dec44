// `npm run dev`: runs the service from source, and restarts it when a source file changes.
import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { bundleConsole, consoleSource } from './bundle-console.mjs'
import { writeFingerprints } from './fingerprints.mjs'
import { binOf, root, runMain, setup } from './setup.mjs'

const SETTLE_MS = 200

/** With the page that shows the kit. */
const bundleForDevelopment = () => bundleConsole(root, join(root, '.build'), true)

/** Bundles the console again when a file of it changes; an error in it leaves the last bundle in place. */
const watchConsole = (bundled) => {
  let timer
  const bundle = () => bundleForDevelopment().then(bundled, (error) => console.error(error.message))
  watch(join(root, consoleSource), { recursive: true }, () => {
    clearTimeout(timer)
    timer = setTimeout(bundle, SETTLE_MS)
  }).unref()
}

await runMain(async () => {
  await setup()
  await writeFingerprints(root)
  await bundleForDevelopment()
  const args = [
    binOf('tsx'),
    'watch',
    '--clear-screen=false',
    'cli/main.ts',
    'serve',
    ...process.argv.slice(2),
  ]
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...process.env, SVC_DEV: '1' },
  })
  child.stdin.on('error', () => undefined)
  // The Return key restarts what is watched; the service reads the bundle when it starts.
  watchConsole(() => child.stdin.write('\n'))
  process.exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
})
