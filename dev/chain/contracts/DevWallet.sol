/*
 * Copyright The Turnpike Authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
pragma solidity 0.8.37;

/// @title A contract wallet for tests of ERC-1271, ERC-6492 and EIP-7702
/// @notice One key owns it. With no owner in storage, as when an ordinary account
/// delegates to this code (EIP-7702), the account's own key owns it.
contract DevWallet {
    bytes4 private constant ACCEPTED = 0x1626ba7e;
    bytes4 private constant REFUSED = 0xffffffff;

    address private configuredOwner;

    constructor(address initialOwner) payable {
        configuredOwner = initialOwner;
    }

    receive() external payable {}

    function owner() public view returns (address) {
        return configuredOwner == address(0) ? address(this) : configuredOwner;
    }

    /// @notice ERC-1271: accepts a 65-byte signature by the owner's key.
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return REFUSED;
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        address signer = ecrecover(digest, uint8(signature[64]), r, s);
        return signer != address(0) && signer == owner() ? ACCEPTED : REFUSED;
    }

    /// @notice Makes a call as this wallet. The revert of the call is passed on.
    function execute(address to, uint256 value, bytes calldata data) external returns (bytes memory) {
        require(msg.sender == owner(), "DevWallet: caller is not the owner");
        (bool ok, bytes memory answer) = to.call{value: value}(data);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(answer, 0x20), mload(answer))
            }
        }
        return answer;
    }
}

/// @title Deploys wallets at addresses that are known beforehand (EIP-1014)
contract DevWalletFactory {
    event WalletCreated(address indexed wallet, address indexed owner, bytes32 salt);

    /// @notice Deploys the wallet, or does nothing if it is already there, since a
    /// counterfactual signature (ERC-6492) may be presented more than once.
    function createWallet(address owner, bytes32 salt) external returns (address wallet) {
        wallet = walletAddress(owner, salt);
        if (wallet.code.length > 0) return wallet;
        address made = address(new DevWallet{salt: salt}(owner));
        assert(made == wallet);
        emit WalletCreated(wallet, owner, salt);
    }

    /// @notice Where createWallet with the same arguments puts the wallet.
    function walletAddress(address owner, bytes32 salt) public view returns (address) {
        bytes32 codeHash = keccak256(abi.encodePacked(type(DevWallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, codeHash)))));
    }
}
