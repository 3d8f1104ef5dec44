// `npm run dev`: runs the service from source, and restarts it when a source file changes.
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
