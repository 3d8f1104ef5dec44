/** A dialog to search for records and to run one command for each that is picked. It stays open for the next one. */
import { useState, type ReactNode } from 'react'
import { useCommand, useList, type Command, type Query } from '../api.ts'
import { useTexts } from '../text.tsx'
import { Button } from './button.tsx'
import { commonTexts } from './common-texts.ts'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import styles from './kit.module.css'
import { Problem } from './problem.tsx'
import { Loaded } from './record.tsx'
import { useSettled } from './settled.ts'
import { useToast } from './toast.tsx'

const SHOWN = '10'

export const Picker = <Item extends { readonly id: string; readonly name: string }>({
  title,
  intro,
  path,
  query = {},
  detail,
  pick,
  command,
  done,
  empty,
  onClose,
}: {
  readonly title: string
  /** What the command will do */
  readonly intro: ReactNode
  /** Of the list that is searched with `?q=` */
  readonly path: string
  readonly query?: Query
  /** What tells records of the same name apart */
  readonly detail?: (item: Item) => string
  /** The label of the button beside each record */
  readonly pick: string
  readonly command: (item: Item) => Command
  /** Shown as a toast */
  readonly done: (item: Item) => string
  readonly empty: string
  readonly onClose: () => void
}) => {
  const text = useTexts(commonTexts)
  const toast = useToast()
  const [typed, setTyped] = useState('')
  const search = useSettled(typed)
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const { mutate, isPending, variables, error } = useCommand()
  const list = useList<Item>(path, { ...query, q: search, limit: SHOWN, sort: 'name' })
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{intro}</p>
      <TextField
        name="search"
        type="search"
        label={text.search}
        hint={text.searchStart}
        value={typed}
        onChange={setTyped}
        autoFocus
      />
      <Loaded query={list}>
        {({ items, next }) =>
          items.length === 0 ? (
            <p className="hint">{empty}</p>
          ) : (
            <>
              <ul className={styles['picks']}>
                {items.map((item) => {
                  const sent = command(item)
                  return (
                    <li key={item.id}>
                      <span>
                        {item.name}
                        {detail !== undefined && <span className="hint"> {detail(item)}</span>}
                      </span>
                      {picked.has(item.id) ? (
                        <span className="hint">{done(item)}</span>
                      ) : (
                        <Button
                          small
                          busy={isPending && variables.path === sent.path}
                          onClick={() => {
                            if (isPending) return
                            mutate(sent, {
                              onSuccess: () => {
                                setPicked((before) => new Set([...before, item.id]))
                                toast(done(item))
                              },
                            })
                          }}
                        >
                          {pick}
                          <span className="visually-hidden"> {item.name}</span>
                        </Button>
                      )}
                    </li>
                  )
                })}
              </ul>
              {next !== null && <p className="hint">{text.searchMore}</p>}
            </>
          )
        }
      </Loaded>
      {error !== null && <Problem error={error} />}
      <div className="actions">
        <Button look="primary" onClick={onClose}>
          {text.close}
        </Button>
      </div>
    </Dialog>
  )
}
