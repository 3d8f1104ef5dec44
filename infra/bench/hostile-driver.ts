/** A separate process that sends the most expensive requests in parallel. */
import { sendBytes } from './hostile-send.ts'
import type { AttackResult, AttackTask } from './hostile-target.ts'

const attack = async ({ port, requests, atOnce, seconds }: AttackTask): Promise<AttackResult> => {
  const all = requests.map((request) => Buffer.from(request, 'base64'))
  const end = performance.now() + seconds * 1000
  let sent = 0
  const attacker = async (): Promise<void> => {
    while (performance.now() < end) {
      const bytes = all[sent++ % all.length]
      if (bytes !== undefined) await sendBytes(port, bytes)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, attacker))
  return { sent }
}

process.once('message', (task: AttackTask) => {
  void attack(task).then((result) => {
    process.send?.(result)
    process.disconnect()
  })
})
