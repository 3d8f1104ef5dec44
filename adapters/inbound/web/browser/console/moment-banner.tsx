/** Chooses the moment that the console shows, and says so while it is in the past. */
import { useState } from 'react'
import styles from './app.module.css'
import { appTexts } from './app-texts.ts'
import { Button } from './kit/button.tsx'
import { Dialog } from './kit/dialog.tsx'
import { TextField } from './kit/field.tsx'
import { commonTexts } from './kit/common-texts.ts'
import { Time } from './kit/time.tsx'
import { inputOf, momentOf } from './moment-input.ts'
import { useMoment } from './moment.tsx'
import { useTexts } from './text.tsx'

export const MomentControl = () => {
  const text = useTexts(appTexts)
  const common = useTexts(commonTexts)
  const { at, set } = useMoment()
  const [open, setOpen] = useState(false)
  const [value, setValue] = useState('')
  const close = (): void => {
    setOpen(false)
  }
  return (
    <>
      <Button
        small
        look="quiet"
        onClick={() => {
          setValue(inputOf(at ?? new Date().toISOString()))
          setOpen(true)
        }}
      >
        {text.timeTravel}
      </Button>
      {open && (
        <Dialog title={text.timeTravel} onClose={close}>
          <form
            className="dialog-body"
            onSubmit={(event) => {
              event.preventDefault()
              if (value !== '') set(momentOf(value))
              close()
            }}
          >
            <TextField
              name="moment"
              type="datetime-local"
              label={text.moment}
              value={value}
              onChange={setValue}
              required
            />
            <div className="actions">
              <Button onClick={close}>{common.cancel}</Button>
              <Button type="submit" look="primary">
                {text.showMoment}
              </Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}

export const MomentBanner = () => {
  const text = useTexts(appTexts)
  const { at, set } = useMoment()
  if (at === null) return null
  return (
    <div className={styles['past']} role="status">
      <p>
        <strong>
          <Time value={at} />
        </strong>{' '}
        {text.past}
      </p>
      <Button
        small
        onClick={() => {
          set(null)
        }}
      >
        {text.backToNow}
      </Button>
    </div>
  )
}
