import { Bell } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';

/** Asks the browser for notifications; gone once that is settled. */
export function NotifyButton() {
  const [permission, setPermission] = useState(() => ('Notification' in window ? Notification.permission : 'denied'));
  if (permission !== 'default') return null;
  return (
    <Button small onClick={() => void Notification.requestPermission().then(setPermission)}>
      <Bell aria-hidden className="size-3.5" /> Notify me
    </Button>
  );
}
