// `npm run demo`: the service in development mode with the demo data in it.
import { join } from 'node:path'
import { root, run, runMain, setup } from './setup.mjs'

await runMain(async () => {
  await setup()
  process.env.SVC_DEV = '1'
  process.exitCode = await run(process.execPath, [join(root, '.build', 'cli', 'main.js'), 'seed-demo'])
  if (process.exitCode === 0) await import('./start.mjs')
})
