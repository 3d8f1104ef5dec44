// `npm start`: sets up the clone, then becomes `svc serve`. One process, so signals and the exit code are the
// server's.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root, runMain, setup } from './setup.mjs'

await runMain(async () => {
  await setup()
  const main = join(root, '.build', 'cli', 'main.js')
  process.setSourceMapsEnabled(true)
  process.argv = [process.execPath, main, 'serve', ...process.argv.slice(2)]
  await import(pathToFileURL(main).href)
})
