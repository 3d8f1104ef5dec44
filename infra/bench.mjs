// `npm run bench`: sets the clone up, then measures.
import { run, runMain, setup } from './setup.mjs'

await runMain(async () => {
  await setup()
  process.exitCode = await run(process.execPath, ['.build/infra/bench/main.js', ...process.argv.slice(2)])
})
