// `npm run bench`: sets the clone up, then measures.
import { binOf, run, runMain, setup } from './setup.mjs'

await runMain(async () => {
  await setup()
  process.exitCode = await run(process.execPath, [
    binOf('tsx'),
    'infra/bench/main.ts',
    ...process.argv.slice(2),
  ])
})
