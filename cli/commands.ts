import type { Command } from './program.ts'

/** Every command of `svc`, in the order that help shows. */
export const commands: readonly Command[] = []
