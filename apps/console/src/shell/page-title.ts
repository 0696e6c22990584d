let title = '';
let waiting = 0;

/** Names the page for its tab: the screen, with how many requests wait before it. */
export function setPageTitle(screen: string): void {
  title = screen;
  write();
}

/** How many requests wait: seen in the tab while nobody looks at the page. */
export function setWaitingCount(count: number): void {
  waiting = count;
  write();
}

function write(): void {
  const name = title === '' ? 'Reeve' : `${title} · Reeve`;
  document.title = waiting > 0 ? `(${waiting}) ${name}` : name;
}
