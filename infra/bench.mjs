// `npm run bench`: sets up the clone, then runs the benchmarks.
import { run, runMain, setup } from './setup.mjs'

await runMain(async () => {
  await setup()
  process.exitCode = await run(process.execPath, ['.build/infra/bench/main.js', ...process.argv.slice(2)])
})
