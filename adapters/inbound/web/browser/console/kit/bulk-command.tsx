/** Sends one command for each of several records, one after the other, and lists those that failed. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../lib/api.ts'
import type { Command } from '../api.ts'
import { useTexts } from '../text.tsx'
import { Button } from './button.tsx'
import { commonTexts } from './common-texts.ts'
import { Dialog } from './dialog.tsx'
import { useToast } from './toast.tsx'

interface BulkItem {
  readonly name: string
  readonly command: Command
}

interface Failure {
  readonly name: string
  readonly message: string
}

export const BulkCommand = ({
  title,
  intro,
  confirm,
  done,
  dangerous,
  items,
  onClose,
}: {
  readonly title: string
  readonly intro: string
  readonly confirm: string
  readonly done: string
  readonly dangerous: boolean
  readonly items: readonly BulkItem[]
  readonly onClose: () => void
}) => {
  const text = useTexts(commonTexts)
  const toast = useToast()
  const client = useQueryClient()
  const [progress, setProgress] = useState<number | null>(null)
  const [failures, setFailures] = useState<readonly Failure[] | null>(null)
  const run = async (): Promise<void> => {
    const failed: Failure[] = []
    for (const [index, { name, command }] of items.entries()) {
      setProgress(index)
      await send(command.method, command.path, { body: command.body }).catch((error: unknown) => {
        failed.push({ name, message: error instanceof Error ? error.message : String(error) })
      })
    }
    await client.invalidateQueries()
    setProgress(null)
    if (failed.length > 0) return setFailures(failed)
    toast(done)
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{intro}</p>
      {failures === null ? (
        <ul>
          {items.slice(0, 10).map(({ name }) => (
            <li key={name}>{name}</li>
          ))}
          {items.length > 10 && <li>…</li>}
        </ul>
      ) : (
        <div className="notice notice-problem" role="alert">
          <div>
            <p>{text.failed(failures.length, items.length)}</p>
            <ul>
              {failures.map(({ name, message }) => (
                <li key={name}>
                  <strong>{name}</strong> {message}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      {progress !== null && <progress max={items.length} value={progress} aria-label={title} />}
      <div className="actions">
        <Button onClick={onClose}>{failures === null ? text.cancel : text.close}</Button>
        {failures === null && (
          <Button
            look={dangerous ? 'problem' : 'primary'}
            busy={progress !== null}
            onClick={() => void run()}
          >
            {confirm}
          </Button>
        )}
      </div>
    </Dialog>
  )
}
