// `npm run dev`: the service straight from its sources, started anew when one of them changes.
import { writeFingerprints } from './fingerprints.mjs'
import { binOf, root, run, runMain, setup } from './setup.mjs'

await runMain(async () => {
  await setup()
  await writeFingerprints(root)
  const args = [
    binOf('tsx'),
    'watch',
    '--clear-screen=false',
    'cli/main.ts',
    'serve',
    ...process.argv.slice(2),
  ]
  process.exitCode = await run(process.execPath, args, { SVC_DEV: '1' })
})
