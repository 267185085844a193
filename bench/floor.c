/* SPDX-License-Identifier: Apache-2.0 */
/* Its floor: a process that only links and initializes SQLite. */
#include <sqlite3.h>

int main(void)
{
    return sqlite3_initialize();
}
